// Void-extent coordinates: all ones, or a non-empty rectangle.
bool void_extent_is_legal(uvec4 w) {
  uint s0 = (w.x >> 12) & 0x1FFFu, s1 = (w.x >> 25) | ((w.y & 63u) << 7);
  uint t0 = (w.y >> 6) & 0x1FFFu, t1 = w.y >> 19;
  return (w.x & 0xC00u) == 0xC00u && ((s0 & s1 & t0 & t1) == 0x1FFFu || (s0 < s1 && t0 < t1));
}
