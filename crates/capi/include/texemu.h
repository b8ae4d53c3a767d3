// texemu.h: ASTC, ETC2 and EAC images on Vulkan devices that lack them, and depth pyramids.
//
// Made from the sources of libtexemu by `cargo xtask header`: change them, not this file. docs/c-api.md walks through it.
//
// Results. Functions return a VkResult: VK_SUCCESS; TEXEMU_NOT_EMULATED, which is positive, if the image or format is the
// driver's own business and nothing was done; or a negative code, with texemu_last_error_message() for people to read. A
// negative code can be handed to an application as it is. No Rust panic leaves the library.
//
// Handles. texemu_gpu borrows the host's device; everything else is made from it and keeps it alive. All are destroyed by their
// own function, before the VkDevice. A handle that a comment does not call shared is used by one thread at a time; texemu_gpu,
// texemu_transcoder, texemu_offer, texemu_emulator, texemu_hiz and texemu_hiz_plan are shared.
//
// Structures of texemu start with struct_size: set it to sizeof, and all that is not needed to zero. That is how an older
// program goes on working with a newer library.
//
// Safety. Where a comment calls a pointer valid, it points to an object of its type that nobody changes during the call; all
// Vulkan handles belong to the device that was borrowed. Null is refused with TEXEMU_ERROR_INVALID_ARGUMENT unless allowed;
// nothing else can be checked, and breaking it is undefined behaviour, as in Vulkan itself.
//
// Needs the headers of Vulkan 1.3 or later; the device may implement 1.1.

#ifndef TEXEMU_H
#define TEXEMU_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

// The version of the header. `texemu_version` tells that of the library.
#define TEXEMU_VERSION_MAJOR 0

// See `TEXEMU_VERSION_MAJOR`.
#define TEXEMU_VERSION_MINOR 1

// See `TEXEMU_VERSION_MAJOR`.
#define TEXEMU_VERSION_PATCH 0

// A positive `VkResult`: the image or format is not emulated. Nothing was done; call the driver.
#define TEXEMU_NOT_EMULATED 1979000001

// A `VkResult`: an argument is null, out of range, or a structure of a newer version than the library. Nothing was done.
#define TEXEMU_ERROR_INVALID_ARGUMENT -1979000001

// A `VkResult`: a bug in texemu, stopped at its boundary. Destroy the handles that the call was given, and use them no more.
#define TEXEMU_ERROR_PANIC -1979000002

// How targets are chosen when an image is created.
typedef enum texemu_policy {
  // The bit-exact decode: RGBA8, R16, RG16 or RGBA16F.
  TEXEMU_POLICY_EXACT = 0,
  // The best-looking BC format: BC7, BC5, BC4, BC6H.
  TEXEMU_POLICY_QUALITY = 1,
  // The smallest BC format: BC1, BC3, BC4.
  TEXEMU_POLICY_SIZE = 2,
  // One of the three by what is left of the heap budget (`VK_EXT_memory_budget`).
  TEXEMU_POLICY_AUTO = 3,
} texemu_policy;

// What a `texemu_rule` does with its format.
typedef enum texemu_rule_kind {
  // The rule's `policy` in place of the settings'.
  TEXEMU_RULE_KIND_POLICY = 0,
  // The rule's `target`, one of the format's own.
  TEXEMU_RULE_KIND_TARGET = 1,
  // No emulation: the device answers for itself.
  TEXEMU_RULE_KIND_NATIVE = 2,
  // Reported as unsupported, even where the device has it.
  TEXEMU_RULE_KIND_HIDDEN = 3,
} texemu_rule_kind;

// Which blocks are kept beside the decoded image.
typedef enum texemu_keep_blocks {
  // Where something may read them again: images with TRANSFER_SRC usage, and images whose copies may cut target blocks.
  TEXEMU_KEEP_BLOCKS_WHERE_READABLE = 0,
  // Always. So it is anyway if a queue family of the device cannot compute.
  TEXEMU_KEEP_BLOCKS_ALWAYS = 1,
} texemu_keep_blocks;

// What illegal blocks decode to.
typedef enum texemu_error_color {
  // Opaque magenta, as the Khronos Data Format Specification asks.
  TEXEMU_ERROR_COLOR_MAGENTA = 0,
  // Transparent black.
  TEXEMU_ERROR_COLOR_TRANSPARENT_BLACK = 1,
} texemu_error_color;

// How hard encoders to BC try.
typedef enum texemu_effort {
  // The fast one.
  TEXEMU_EFFORT_FAST = 0,
  // The better one.
  TEXEMU_EFFORT_HIGH = 1,
} texemu_effort;

// The kind of queue that a command buffer is recorded for.
typedef enum texemu_queue {
  // It can compute: blocks are decoded right behind the copy.
  TEXEMU_QUEUE_COMPUTE = 0,
  // It can only transfer: blocks are kept, and decoded on another queue by `texemu_cmd_pipeline_barrier` or
  // `texemu_cmd_decode_copies`.
  TEXEMU_QUEUE_TRANSFER_ONLY = 1,
} texemu_queue;

// How a decoder may read the buffer that is copied from.
typedef enum texemu_source_access {
  // Directly: the buffer was created with UNIFORM_TEXEL_BUFFER usage.
  TEXEMU_SOURCE_ACCESS_TEXEL_BUFFER = 0,
  // Not at all, or slowly: the blocks are copied first.
  TEXEMU_SOURCE_ACCESS_TRANSFER_ONLY = 1,
} texemu_source_access;

// Where a `texemu_job` finds its blocks.
typedef enum texemu_source_kind {
  // In `source_buffer`, which has UNIFORM_TEXEL_BUFFER usage.
  TEXEMU_SOURCE_KIND_TEXEL_BUFFER = 0,
  // In `source_buffer`, which has STORAGE_BUFFER usage.
  TEXEMU_SOURCE_KIND_STORAGE_BUFFER = 1,
  // In `source_views`.
  TEXEMU_SOURCE_KIND_STORAGE_IMAGE = 2,
} texemu_source_kind;

// Which depths a texel of a pyramid stands for, and so which queries it answers.
typedef enum texemu_hiz_scheme {
  // 2 texels an axis of the level before, 3 where its size is odd: UV queries and integer queries, at any size.
  TEXEMU_HIZ_SCHEME_CHAINED = 0,
  // Aligned blocks, the last one with the rest: integer queries, tightly.
  TEXEMU_HIZ_SCHEME_EDGE_TEXEL = 1,
  // A power of two of texels: UV queries, tightly.
  TEXEMU_HIZ_SCHEME_POW2_EXACT = 2,
  // Aligned blocks, sizes rounded up: integer queries, tightly. Its levels are no mip chain.
  TEXEMU_HIZ_SCHEME_ROUNDED_UP = 3,
} texemu_hiz_scheme;

// What a texel keeps of the depths it stands for.
typedef enum texemu_hiz_reduction {
  // The least.
  TEXEMU_HIZ_REDUCTION_MIN = 0,
  // The greatest.
  TEXEMU_HIZ_REDUCTION_MAX = 1,
  // Both, in two components.
  TEXEMU_HIZ_REDUCTION_MIN_MAX = 2,
} texemu_hiz_reduction;

// The same in words that do not depend on the depth's direction: see `texemu_hiz_reduction_of`.
typedef enum texemu_hiz_keep {
  // For rays and for what is certainly in front.
  TEXEMU_HIZ_KEEP_NEAREST = 0,
  // For occlusion culling.
  TEXEMU_HIZ_KEEP_FARTHEST = 1,
  // For both, and for particles.
  TEXEMU_HIZ_KEEP_BOTH = 2,
} texemu_hiz_keep;

// How a texel is stored.
typedef enum texemu_hiz_texel {
  // In 32 bits a component.
  TEXEMU_HIZ_TEXEL_FLOAT32 = 0,
  // In 16: minima rounded down, maxima up.
  TEXEMU_HIZ_TEXEL_FLOAT16 = 1,
} texemu_hiz_texel;

// How the device makes a pyramid. All ways give the same bits.
typedef enum texemu_hiz_path {
  // The best of those below that the device can go.
  TEXEMU_HIZ_PATH_AUTO = 0,
  // All levels in one dispatch.
  TEXEMU_HIZ_PATH_ONE_DISPATCH = 1,
  // In two dispatches, without atomics.
  TEXEMU_HIZ_PATH_TWO_DISPATCHES = 2,
  // A dispatch a level.
  TEXEMU_HIZ_PATH_PER_LEVEL = 3,
  // A draw a level; needs a queue that draws.
  TEXEMU_HIZ_PATH_RASTER = 4,
  // One level, by atomics in shared memory.
  TEXEMU_HIZ_PATH_SHARED_ATOMIC = 5,
  // One level, by subgroup minima.
  TEXEMU_HIZ_PATH_SUBGROUP_FOLD = 6,
} texemu_hiz_path;

// How well a pyramid answers a kind of query.
typedef enum texemu_hiz_answer {
  // Not at all: it could be wrong on the unsafe side.
  TEXEMU_HIZ_ANSWER_UNSAFE = 0,
  // Never wrong on the unsafe side, at times more careful than needed.
  TEXEMU_HIZ_ANSWER_CONSERVATIVE = 1,
  // Never wrong on the unsafe side, and as close as the level's texels allow.
  TEXEMU_HIZ_ANSWER_TIGHT = 2,
} texemu_hiz_answer;

// Holds what recorded commands refer to: descriptor sets, views, scratch memory. One thread uses it at a time; keep one for each
// submission in flight.
typedef struct texemu_arena texemu_arena;

// A changed `VkDeviceCreateInfo`, by `texemu_offer_amend_device`.
typedef struct texemu_device_create_info texemu_device_create_info;

// Emulated images of one device. Any threads may call at once, as far as Vulkan allows for the handles that they hand in.
typedef struct texemu_emulator texemu_emulator;

// A host's device, borrowed. Reference-counted inside: the objects made from it keep what they need, so handles may be destroyed
// in any order, all of them before the `VkDevice`.
typedef struct texemu_gpu texemu_gpu;

// The pipelines of all depth pyramids of one device. Shared between threads.
typedef struct texemu_hiz texemu_hiz;

// A pyramid worked out for one device. Shared between threads.
typedef struct texemu_hiz_plan texemu_hiz_plan;

// A plan bound to the images that it fills, with what one recording in flight needs. Frames in flight need a target each.
typedef struct texemu_hiz_target texemu_hiz_target;

// Answers for a physical device: before there is a device by `texemu_offer_create`, later by `texemu_emulator_get_offer`. Any threads
// may ask at once.
typedef struct texemu_offer texemu_offer;

// What belongs to one command buffer, primary or secondary: descriptor sets, scratch memory, timestamps, and the application's compute
// state if it is told. One thread at a time uses it, as with the command buffer itself.
typedef struct texemu_recording texemu_recording;

// The transcoding pipelines of one device. Any threads may use it at once, each with an arena of its own.
typedef struct texemu_transcoder texemu_transcoder;

// One format.
typedef struct texemu_format_info {
  // `sizeof(texemu_format_info)`.
  uint32_t struct_size;
  // Texels a block, width and height; 1 and 1 for formats without blocks.
  uint32_t footprint[2];
  // Bytes a block, or a texel.
  uint32_t block_bytes;
  // Vulkan's name without `VK_FORMAT_`; static.
  const char *name;
  // What `TEXEMU_POLICY_EXACT` stores it as; `VK_FORMAT_UNDEFINED` if it is no source format.
  VkFormat exact_target;
  // As above, `TEXEMU_POLICY_QUALITY`.
  VkFormat quality_target;
  // As above, `TEXEMU_POLICY_SIZE`.
  VkFormat size_target;
} texemu_format_info;

// What a host tells of its device. Zero what is not needed.
typedef struct texemu_host_device {
  // `sizeof(texemu_host_device)`.
  uint32_t struct_size;
  // The family of the queues that command buffers go to; it must support compute.
  uint32_t queue_family_index;
  // Of the loader or layer that made the instance.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  // Of Vulkan 1.1 or later.
  VkInstance instance;
  // The one that `device` was made from.
  VkPhysicalDevice physical_device;
  // The device.
  VkDevice device;
  // What the device was created with, as `vkCreateDevice` got it; read during the call alone. Kernels use features and
  // extensions that were enabled there, and no others; without the structure, none.
  const VkDeviceCreateInfo *device_create_info;
  // The lower of what the application asked for and what the device implements; 0 means Vulkan 1.1.
  uint32_t api_version;
  // Zero.
  uint32_t reserved;
  // The folder in which compiled pipelines are kept between runs. Null: the user's cache (`TEXEMU_CACHE_DIR`, else
  // `XDG_CACHE_HOME/texemu`, else `~/.cache/texemu`). Empty: nowhere.
  const char *cache_directory;
} texemu_host_device;

// How much an arena holds.
typedef struct texemu_arena_statistics {
  // `sizeof(texemu_arena_statistics)`.
  uint32_t struct_size;
  // Descriptor pools; kept by a reset.
  uint32_t descriptor_pools;
  // Bytes of device memory for scratch; kept by a reset.
  uint64_t scratch_bytes;
  // Buffer views made since the last reset.
  uint32_t buffer_views;
  // Image views made since the last reset.
  uint32_t image_views;
} texemu_arena_statistics;

// One copy's worth of work.
typedef struct texemu_job {
  // `sizeof(texemu_job)`.
  uint32_t struct_size;
  // What the blocks are.
  VkFormat source_format;
  // Where they are. What wrote them must be visible to TRANSFER, as for any copy.
  VkBuffer source_buffer;
  // A `texemu_source_kind`.
  uint32_t source_kind;
  // For `TEXEMU_SOURCE_KIND_STORAGE_IMAGE`: as many as the target has levels.
  uint32_t source_view_count;
  // Storage views in layout GENERAL, one a target level, `2D_ARRAY` (`3D` for 3D images), of R32G32_UINT for blocks of 8 bytes and
  // R32G32B32A32_UINT for 16: one texel a block.
  const VkImageView *source_views;
  // Takes the texels. An uncompressed format needs STORAGE usage and the flags MUTABLE_FORMAT and EXTENDED_USAGE, a BC format
  // TRANSFER_DST usage.
  VkImage target_image;
  // What it stores: one of the source format's targets.
  VkFormat target_format;
  // 2D or 3D.
  VkImageType image_type;
  // Of level 0.
  VkExtent3D extent;
  // Its levels.
  uint32_t levels;
  // Its array layers; six a cube.
  uint32_t layers;
  // The layout that the touched levels and layers are in, and will be in again.
  VkImageLayout layout;
  // They may be in any layout before, and their texels are lost. For jobs that write whole levels.
  VkBool32 discard;
  // Elements of `target_views`; may be 0.
  uint32_t target_view_count;
  // Storage views of the target through its UINT format, one a region, `2D_ARRAY` of the region's level and layers or `3D` of its
  // level; where null or missing, the arena makes them.
  const VkImageView *target_views;
  // What is copied, in texels of the source format, as `vkCmdCopyBufferToImage` has it.
  const VkBufferImageCopy *regions;
  // How many.
  uint32_t region_count;
  // A `texemu_error_color`.
  uint32_t error_color;
  // A `texemu_effort`.
  uint32_t effort;
  // Zero.
  uint32_t reserved;
} texemu_job;

// What a recording came to.
typedef struct texemu_recorded {
  // `sizeof(texemu_recorded)`.
  uint32_t struct_size;
  // Dispatches.
  uint32_t dispatches;
  // Source blocks.
  uint64_t blocks;
  // Texels written.
  uint64_t texels;
} texemu_recorded;

// Which pyramid to make of what. All zero, but for its size and that of the depth image, is every level from 1 of a chained pyramid of
// minima.
typedef struct texemu_hiz_desc {
  // `sizeof(texemu_hiz_desc)`.
  uint32_t struct_size;
  // Texels of the depth image across.
  uint32_t source_width;
  // And down.
  uint32_t source_height;
  // Texels across of the viewport in it, which is what the pyramid covers; 0 stands for all.
  uint32_t width;
  // And down.
  uint32_t height;
  // Array layers, or views of a multiview pass; 0 stands for 1.
  uint32_t layers;
  // Samples of the depth image; 0 stands for 1.
  uint32_t samples;
  // A `texemu_hiz_scheme`.
  uint32_t scheme;
  // A `texemu_hiz_reduction`.
  uint32_t reduction;
  // A `texemu_hiz_texel`.
  uint32_t texel;
  // A `texemu_hiz_path`.
  uint32_t path;
  // The first level to store; 0 stands for 1.
  uint32_t first_level;
  // The last; 0 stands for the last there is, and so does any beyond it.
  uint32_t last_level;
  // Level 0, a copy of the depth buffer, is stored too. `first_level` is then 0 or 1.
  VkBool32 copy_level_0;
} texemu_hiz_desc;

// `HizPyramid` of hiz_query.glsl, word for word: for push constants and uniform buffers.
typedef struct texemu_hiz_query_pyramid {
  // Pixels that the pyramid covers across.
  int32_t width;
  // And down.
  int32_t height;
  // The first level that is stored.
  int32_t first_level;
  // And the last.
  int32_t last_level;
  // The array layer to ask: 0 as it is told, the caller's to change.
  int32_t layer;
} texemu_hiz_query_pyramid;

// What a plan came to.
typedef struct texemu_hiz_plan_info {
  // `sizeof(texemu_hiz_plan_info)`.
  uint32_t struct_size;
  // The `texemu_hiz_path` that is gone.
  uint32_t path;
  // The format of all levels.
  VkFormat format;
  // The usages that their images need; add SAMPLED for queries.
  VkImageUsageFlags level_usage;
  // Levels that are stored.
  uint32_t level_count;
  // They are the mip levels of one image, whose level 0 is the first of them. Otherwise each needs an image of its own.
  VkBool32 is_mip_chain;
  // A `texemu_hiz_answer` to queries by UV coordinates.
  uint32_t uv_queries;
  // A `texemu_hiz_answer` to queries by integer coordinates.
  uint32_t integer_queries;
  // Dispatches or draws of a recording.
  uint32_t step_count;
  // Before a recording, the depth image must be visible to these stages.
  VkPipelineStageFlags depth_stages;
  // And accesses.
  VkAccessFlags depth_access;
  // A recording touches the levels in these stages, in layout GENERAL.
  VkPipelineStageFlags level_stages;
  // By these accesses.
  VkAccessFlags level_access;
  // What the queries in shaders need to know.
  struct texemu_hiz_query_pyramid query;
  // Bytes of all levels, tightly packed.
  uint64_t bytes;
  // Bytes of scratch memory that a target allocates.
  uint64_t scratch_bytes;
} texemu_hiz_plan_info;

// One level that a plan stores.
typedef struct texemu_hiz_level {
  // `sizeof(texemu_hiz_level)`.
  uint32_t struct_size;
  // Its number; 0 is the depth buffer.
  uint32_t level;
  // Its texels across.
  uint32_t width;
  // And down.
  uint32_t height;
  // Bytes of all its layers, tightly packed.
  uint64_t bytes;
} texemu_hiz_level;

// Where a level lies: a mip level of an image, and as many of its array layers as the plan has.
typedef struct texemu_hiz_image {
  // `sizeof(texemu_hiz_image)`.
  uint32_t struct_size;
  // The mip level, of the level's extent.
  uint32_t mip_level;
  // Of the plan's format and usages.
  VkImage image;
  // The first array layer.
  uint32_t array_layer;
  // Zero.
  uint32_t reserved;
} texemu_hiz_image;

// The depth buffer to reduce.
typedef struct texemu_hiz_depth {
  // `sizeof(texemu_hiz_depth)`.
  uint32_t struct_size;
  // The layout it is in.
  VkImageLayout layout;
  // A `2D_ARRAY` view of one mip level and the plan's layers, of the depth aspect or of a one-component float or normalized color
  // format.
  VkImageView view;
  // The viewport's corner in it, in texels from the left.
  uint32_t offset_x;
  // And from the top.
  uint32_t offset_y;
} texemu_hiz_depth;

// What is done with one format, whatever the policy says.
typedef struct texemu_rule {
  // The source format.
  VkFormat format;
  // A `texemu_rule_kind`.
  uint32_t kind;
  // A `texemu_policy`, for `TEXEMU_RULE_KIND_POLICY`.
  uint32_t policy;
  // One of the format's targets, for `TEXEMU_RULE_KIND_TARGET`.
  VkFormat target;
} texemu_rule;

// What an embedder chooses once for a device. All zero, but for its size, is the default.
typedef struct texemu_settings {
  // `sizeof(texemu_settings)`.
  uint32_t struct_size;
  // A `texemu_policy`.
  uint32_t policy;
  // Exceptions by format; the last of two for one format counts.
  const struct texemu_rule *rules;
  // How many.
  uint32_t rule_count;
  // A `texemu_keep_blocks`.
  uint32_t keep_blocks;
  // Bytes of memory that all emulated images of the device may need together; 0 for no limit. An image that would pass it
  // gets the next smaller target; if the smallest passes it too, creation fails with `VK_ERROR_OUT_OF_DEVICE_MEMORY`.
  uint64_t ceiling;
  // For `TEXEMU_POLICY_AUTO`: the share of the heap's budget up to which images are exact; 0 for 0.6.
  double exact_pressure;
  // As above, up to which they are of quality, and above which of small size; 0 for 0.8.
  double quality_pressure;
  // A `texemu_error_color`.
  uint32_t error_color;
  // A `texemu_effort`.
  uint32_t effort;
  // Emulate formats that the device has itself, to compare the two.
  VkBool32 force;
  // Compile an image's pipelines when it is first copied to, not when it is created.
  VkBool32 compile_late;
  // Measure the device time of decoding with timestamps.
  VkBool32 timing;
  // Zero.
  uint32_t reserved;
  // Queue families, besides those of the device that cannot compute, whose copies are decoded when an image is acquired from them:
  // `VK_QUEUE_FAMILY_EXTERNAL`, if blocks are uploaded from elsewhere.
  const uint32_t *transfer_families;
  // How many.
  uint32_t transfer_family_count;
  // Zero.
  uint32_t reserved2;
  // Bytes of host memory in which transcoded blocks are kept: see `texemu_cmd_copy_known_buffer_to_image`.
  uint64_t cache_memory_bytes;
  // A folder of this user's for those that outlive the process; null or empty for none. UTF-8.
  const char *cache_directory;
  // Bytes of the files in it.
  uint64_t cache_disk_bytes;
} texemu_settings;

// An emulated image, as reported.
typedef struct texemu_image_report {
  // `sizeof(texemu_image_report)`.
  uint32_t struct_size;
  // What the application asked for.
  VkFormat format;
  // What the device stores.
  VkFormat target;
  // Zero.
  uint32_t reserved;
  // Bytes of the decoded plane.
  uint64_t decoded_bytes;
  // Bytes of the compressed plane; 0 if the blocks are not kept.
  uint64_t compressed_bytes;
  // Bytes that R8G8B8A8 would need.
  uint64_t rgba8_bytes;
} texemu_image_report;

// What the transcode cache did: regions, counted when they are recorded. All zero if it is off.
typedef struct texemu_cache_statistics {
  // `sizeof(texemu_cache_statistics)`.
  uint32_t struct_size;
  // Zero.
  uint32_t reserved;
  // Found in memory.
  uint64_t memory_hits;
  // Found in a file.
  uint64_t disk_hits;
  // Not found.
  uint64_t misses;
  // Entries added, once the device had made them.
  uint64_t stored;
  // Entries that went to make room, from memory and files.
  uint64_t evicted;
  // Files that were damaged, or not what their name says, and were removed.
  uint64_t damaged;
  // Files that could not be written.
  uint64_t failed;
  // Entries in memory.
  uint64_t memory_entries;
  // Their bytes.
  uint64_t memory_bytes;
  // Files known.
  uint64_t disk_entries;
  // Their bytes.
  uint64_t disk_bytes;
} texemu_cache_statistics;

// Of all emulated images.
typedef struct texemu_statistics {
  // `sizeof(texemu_statistics)`.
  uint32_t struct_size;
  // Formats that images were created of.
  uint32_t format_count;
  // Bytes that all emulated images alive need.
  uint64_t bytes;
  // The most they ever needed at once.
  uint64_t peak_bytes;
  // Bytes by which they are smaller than in R8G8B8A8, their blocks counted; negative if they are larger.
  int64_t bytes_saved;
} texemu_statistics;

// Of one source format. Bytes and `images` are of the images alive; everything else counts since the start, at recording.
typedef struct texemu_format_statistics {
  // `sizeof(texemu_format_statistics)`.
  uint32_t struct_size;
  // Which one.
  VkFormat format;
  // Images alive.
  uint64_t images;
  // Images created.
  uint64_t created;
  // Bytes of their decoded planes.
  uint64_t decoded_bytes;
  // Bytes of their compressed planes.
  uint64_t compressed_bytes;
  // Bytes that the same images would need in R8G8B8A8, without their blocks.
  uint64_t rgba8_bytes;
  // Uploads whose decoder read the application's buffer.
  uint64_t direct;
  // Uploads by way of the compressed plane.
  uint64_t by_plane;
  // Uploads by way of scratch memory.
  uint64_t by_scratch;
  // Uploads on queues that cannot compute.
  uint64_t deferred;
  // Copies to buffers.
  uint64_t downloads;
  // Copies from or to other images.
  uint64_t image_copies;
  // Dispatches.
  uint64_t dispatches;
  // Blocks decoded.
  uint64_t blocks;
  // Texels written.
  uint64_t texels;
  // Nanoseconds of device time spent on decoding, of the copies timed so far.
  uint64_t gpu_nanoseconds;
  // Copies timed.
  uint64_t timed;
  // Uploads that the transcode cache knew whole.
  uint64_t cached;
} texemu_format_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library: `VK_MAKE_API_VERSION(0, major, minor, patch)`. A header of the same major and minor version
// fits it; before 1.0 nothing else is promised.
uint32_t texemu_version(void);

// What went wrong in the last call on this thread, in English; empty if nothing did. Never null. The text stays until this
// thread's next call.
const char *texemu_last_error_message(void);

// Tells about a format: any that texemu emulates or stores. `VK_ERROR_FORMAT_NOT_SUPPORTED` for others.
//
// # Safety
// `info` is valid, and its `struct_size` set.
VkResult texemu_get_format_info(VkFormat format, struct texemu_format_info *info);

// The formats that can be emulated. With `formats` null, `*count` becomes their number; otherwise it says how many `formats`
// holds, and becomes how many were written: `VK_INCOMPLETE` if those were not all.
//
// # Safety
// `count` is valid; `formats` is null or holds `*count` elements.
VkResult texemu_get_source_formats(uint32_t *count,
                                   VkFormat *formats);

// Builds on a host's device. Nothing of the host's is destroyed, submitted to or waited for, now or later.
//
// # Safety
// - The handles in `host` belong together, and outlive everything made from the `texemu_gpu`.
// - `device_create_info` is null or what the device was created with, chain and all.
// - `queue_family_index` was among the queues that the device was created with.
VkResult texemu_gpu_borrow(const struct texemu_host_device *host, struct texemu_gpu **gpu);

// Gives a borrowed device back; null is ignored. The last object made from it writes the pipeline cache.
//
// # Safety
// `gpu` is null or from `texemu_gpu_borrow`, and not used afterwards.
void texemu_gpu_destroy(struct texemu_gpu *gpu);

// Writes the pipeline cache to its folder now.
//
// # Safety
// `gpu` is valid.
VkResult texemu_gpu_save_pipeline_cache(const struct texemu_gpu *gpu);

// Makes an empty arena: it holds nothing until something is recorded.
//
// # Safety
// Both pointers are valid.
VkResult texemu_arena_create(const struct texemu_gpu *gpu, struct texemu_arena **arena);

// Takes everything back, and keeps memory and pools for the next recording.
//
// # Safety
// `arena` is valid. The device is done with all commands recorded with it since the last reset, and they are not submitted
// again.
VkResult texemu_arena_reset(struct texemu_arena *arena);

// Bytes of device memory that the arena holds for scratch; 0 for null.
//
// # Safety
// `arena` is null or valid.
uint64_t texemu_arena_bytes(const struct texemu_arena *arena);

// How much the arena holds of everything.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `statistics` is set.
VkResult texemu_arena_get_statistics(const struct texemu_arena *arena, struct texemu_arena_statistics *statistics);

// Destroys an arena and what it holds; null is ignored.
//
// # Safety
// As `texemu_arena_reset`; `arena` is not used afterwards.
void texemu_arena_destroy(struct texemu_arena *arena);

// Makes a transcoder; pipelines follow when first needed, or by `texemu_transcoder_prepare`.
//
// # Safety
// Both pointers are valid.
VkResult texemu_transcoder_create(const struct texemu_gpu *gpu, struct texemu_transcoder **transcoder);

// Destroys a transcoder; null is ignored.
//
// # Safety
// `transcoder` is null or from `texemu_transcoder_create`, and not used afterwards. The device is done with all that it recorded.
void texemu_transcoder_destroy(struct texemu_transcoder *transcoder);

// Builds the pipelines that jobs from `source` to `target` need, so that recording never compiles. Takes a while; call it from a
// thread of its own. `effort` is a `texemu_effort`.
//
// # Safety
// `transcoder` is valid.
VkResult texemu_transcoder_prepare(const struct texemu_transcoder *transcoder,
                                   VkFormat source,
                                   VkFormat target,
                                   uint32_t effort);

// Writes the jobs into `commands`: one barrier, the dispatches of all jobs, one barrier. Submits nothing and waits for nothing. Before and
// after, a job looks like a copy: sources are read, and targets written, as by TRANSFER. Between jobs there is no barrier; no two may
// write the same texels. Disturbs the compute pipeline, set 0 of the compute bind point, and push constants. On failure nothing was
// recorded. `recorded` may be null.
//
// # Safety
// - `commands` is being recorded on the device, for a queue with compute, outside a render pass.
// - `jobs` holds `job_count` structures, all of one `struct_size`; their handles are valid, made as `texemu_job` says, and stay so
//   until the commands have run; source buffers hold what the regions address.
// - `arena` is not reset before the commands have run.
VkResult texemu_transcoder_record(const struct texemu_transcoder *transcoder,
                                  VkCommandBuffer commands,
                                  struct texemu_arena *arena,
                                  uint32_t job_count,
                                  const struct texemu_job *jobs,
                                  struct texemu_recorded *recorded);

// The `texemu_hiz_reduction` that keeps what a `texemu_hiz_keep` says, where near is 0, or with `reversed` 1. `UINT32_MAX` if it is none.
uint32_t texemu_hiz_reduction_of(uint32_t keep,
                                 VkBool32 reversed);

// Works a pyramid out. Makes no Vulkan object. `VK_ERROR_FEATURE_NOT_PRESENT` if the device cannot go the path that is asked for.
//
// # Safety
// All pointers are valid, and the `struct_size` of `desc` is set.
VkResult texemu_hiz_plan_create(const struct texemu_gpu *gpu,
                                const struct texemu_hiz_desc *desc,
                                struct texemu_hiz_plan **plan);

// Destroys a plan; null is ignored. Targets made from it stay.
//
// # Safety
// `plan` is null or from `texemu_hiz_plan_create`, and not used afterwards.
void texemu_hiz_plan_destroy(struct texemu_hiz_plan *plan);

// What a plan came to.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `info` is set.
VkResult texemu_hiz_plan_get_info(const struct texemu_hiz_plan *plan, struct texemu_hiz_plan_info *info);

// The `index`-th level that a plan stores, the finest first.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `level` is set.
VkResult texemu_hiz_plan_get_level(const struct texemu_hiz_plan *plan, uint32_t index, struct texemu_hiz_level *level);

// Makes the pipelines' home; each pipeline follows when first needed, or by `texemu_hiz_prepare`.
//
// # Safety
// Both pointers are valid.
VkResult texemu_hiz_create(const struct texemu_gpu *gpu, struct texemu_hiz **hiz);

// Destroys the pipelines; null is ignored.
//
// # Safety
// `hiz` is null or from `texemu_hiz_create`, and not used afterwards. The device is done with all that it recorded.
void texemu_hiz_destroy(struct texemu_hiz *hiz);

// Builds the pipelines that `plan` needs, so that recording it never compiles. Plans that differ in sizes mostly share them.
//
// # Safety
// Both pointers are valid, and of one device.
VkResult texemu_hiz_prepare(const struct texemu_hiz *hiz,
                            const struct texemu_hiz_plan *plan);

// Binds `plan` to its images: one entry a level, the finest first. Makes their views, and allocates the plan's scratch memory.
//
// # Safety
// - `hiz` and `plan` are valid and of one device.
// - `images` holds `image_count` structures, all of one `struct_size`; the images are as `texemu_hiz_image` says and outlive the target.
// - `target` is valid.
VkResult texemu_hiz_target_create(const struct texemu_hiz *hiz,
                                  const struct texemu_hiz_plan *plan,
                                  uint32_t image_count,
                                  const struct texemu_hiz_image *images,
                                  struct texemu_hiz_target **target);

// Destroys a target and its views; null is ignored.
//
// # Safety
// `target` is null or from `texemu_hiz_target_create`, and not used afterwards. The device is done with all that was recorded with it.
void texemu_hiz_target_destroy(struct texemu_hiz_target *target);

// A `2D_ARRAY` view of the `index`-th level that is stored and all its layers, which lives as long as the target.
//
// # Safety
// Both pointers are valid.
VkResult texemu_hiz_target_get_view(const struct texemu_hiz_target *target, uint32_t index, VkImageView *view);

// Says that the last recording may not have run to its end: it was never submitted, or the device was lost.
//
// # Safety
// `target` is valid.
VkResult texemu_hiz_target_invalidate(const struct texemu_hiz_target *target);

// Writes the reduction of `depth` into the target's levels to `commands`. Submits nothing, waits for nothing, and allocates nothing but
// descriptor sets from `arena`; compiles nothing if the plan was prepared. The barriers around it are the caller's, as
// `texemu_hiz_plan_info` says; those between its steps are its own. Disturbs the compute pipeline, set 0 of the compute bind point and
// push constants, or for draws those of the graphics bind point. After a failure some commands may have been recorded.
//
// # Safety
// - `commands` is being recorded on the device outside a render pass, for a queue with compute, or with graphics for draws.
// - All pointers are valid, and the `struct_size` of `depth` is set; its view is as `texemu_hiz_depth` says, and matches the plan.
// - The view, the target and what `arena` holds live until the commands have run. No two recordings with a target overlap on the device.
VkResult texemu_hiz_record(const struct texemu_hiz *hiz,
                           VkCommandBuffer commands,
                           struct texemu_arena *arena,
                           const struct texemu_hiz_target *target,
                           const struct texemu_hiz_depth *depth);

// Asks a physical device what it offers to a device created as `texemu_offer_amend_device` says. `settings` may be null.
//
// # Safety
// - The handles belong together, implement Vulkan 1.1, and outlive the offer.
// - `settings` is null or valid; `offer` is valid.
VkResult texemu_offer_create(PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                             VkInstance instance,
                             VkPhysicalDevice physical_device,
                             const struct texemu_settings *settings,
                             struct texemu_offer **offer);

// Destroys an offer; null is ignored.
//
// # Safety
// `offer` is null, or from `texemu_offer_create` or `texemu_emulator_get_offer`, and not used afterwards.
void texemu_offer_destroy(struct texemu_offer *offer);

// Whether images of `format` are emulated.
//
// # Safety
// `offer` is valid; null emulates nothing.
VkBool32 texemu_offer_emulates(const struct texemu_offer *offer, VkFormat format);

// Adds the emulated families to the answer of `vkGetPhysicalDeviceFeatures`.
//
// # Safety
// Both pointers are valid.
VkResult texemu_offer_add_features(const struct texemu_offer *offer, VkPhysicalDeviceFeatures *features);

// Adds them to the answer of `vkGetPhysicalDeviceFeatures2`, in every structure of its chain that names them.
//
// # Safety
// Both pointers are valid; `features` starts a valid chain.
VkResult texemu_offer_add_features2(const struct texemu_offer *offer, VkPhysicalDeviceFeatures2 *features);

// What the device is to be created with: the application's wishes without the families that the device lacks, and with what the
// kernels need. The application's structures stay as they are.
//
// # Safety
// The pointers are valid; `info` starts a valid chain, and outlives the result.
VkResult texemu_offer_amend_device(const struct texemu_offer *offer,
                                   const VkDeviceCreateInfo *info,
                                   struct texemu_device_create_info **amended);

// The structure to hand to `vkCreateDevice`, and then to `texemu_gpu_borrow`; null for null. Belongs to `amended`.
//
// # Safety
// `amended` is null or valid.
const VkDeviceCreateInfo *texemu_device_create_info_get(const struct texemu_device_create_info *amended);

// Destroys it; null is ignored.
//
// # Safety
// `amended` is null, or from `texemu_offer_amend_device`, and not used afterwards.
void texemu_device_create_info_destroy(struct texemu_device_create_info *amended);

// `vkGetPhysicalDeviceFormatProperties`.
//
// # Safety
// The pointers are valid.
VkResult texemu_offer_get_format_properties(const struct texemu_offer *offer,
                                            VkFormat format,
                                            VkFormatProperties *properties);

// `vkGetPhysicalDeviceFormatProperties2`, with `VkFormatProperties3` and whatever else the chain asks.
//
// # Safety
// The pointers are valid; `properties` starts a valid chain.
VkResult texemu_offer_get_format_properties2(const struct texemu_offer *offer,
                                             VkFormat format,
                                             VkFormatProperties2 *properties);

// `vkGetPhysicalDeviceImageFormatProperties`. `VK_ERROR_FORMAT_NOT_SUPPORTED` is the answer for the application then, and no
// failure: there is no message.
//
// # Safety
// The pointers are valid.
VkResult texemu_offer_get_image_format_properties(const struct texemu_offer *offer,
                                                  VkFormat format,
                                                  VkImageType image_type,
                                                  VkImageTiling tiling,
                                                  VkImageUsageFlags usage,
                                                  VkImageCreateFlags flags,
                                                  VkImageFormatProperties *properties);

// `vkGetPhysicalDeviceImageFormatProperties2`; otherwise as `texemu_offer_get_image_format_properties`.
//
// # Safety
// The pointers are valid, and start valid chains.
VkResult texemu_offer_get_image_format_properties2(const struct texemu_offer *offer,
                                                   const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkImageFormatProperties2 *properties);

// `vkGetPhysicalDeviceSparseImageFormatProperties` and its `2` form: `*count` becomes 0, for emulated images are never sparse.
//
// # Safety
// The pointers are valid.
VkResult texemu_offer_get_sparse_image_format_property_count(const struct texemu_offer *offer,
                                                             VkFormat format,
                                                             uint32_t *count);

// Makes the emulation of a device. `settings` may be null. `queue_families` are those of all queues that the device was created with:
// compressed planes are shared between them, so that an image's ownership transfers need not name them.
//
// # Safety
// `gpu` and `emulator` are valid, `settings` null or valid, `queue_families` holds `queue_family_count` elements.
VkResult texemu_emulator_create(const struct texemu_gpu *gpu,
                                const struct texemu_settings *settings,
                                const uint32_t *queue_families,
                                uint32_t queue_family_count,
                                struct texemu_emulator **emulator);

// Destroys an emulator, and the planes of images that were not destroyed; null is ignored. Recordings and offers taken from it keep it
// alive until they are destroyed too.
//
// # Safety
// `emulator` is null or from `texemu_emulator_create`, and not used afterwards. The device is done with all that it recorded.
void texemu_emulator_destroy(struct texemu_emulator *emulator);

// The answers to an application's queries, with the features that the device was created with. To be destroyed with
// `texemu_offer_destroy`.
//
// # Safety
// Both pointers are valid.
VkResult texemu_emulator_get_offer(const struct texemu_emulator *emulator, struct texemu_offer **offer);

// Compiles the pipelines that images of these formats need, so that nothing later has to. Takes a while; call it from a thread of
// its own. Formats that are not emulated are passed over.
//
// # Safety
// `emulator` is valid; `formats` holds `format_count` elements.
VkResult texemu_emulator_prepare(const struct texemu_emulator *emulator,
                                 const VkFormat *formats,
                                 uint32_t format_count);

// Takes a recording from the emulator's pool, or makes one, for a command buffer that begins. `queue` is a `texemu_queue`.
//
// # Safety
// Both pointers are valid.
VkResult texemu_recording_create(const struct texemu_emulator *emulator,
                                 uint32_t queue,
                                 struct texemu_recording **recording);

// Makes a recording ready for the next use of its command buffer: reads the timestamps, takes everything else back.
//
// # Safety
// `recording` is valid. The device is done with every command recorded with it, and they are not submitted again.
VkResult texemu_recording_reset(struct texemu_recording *recording);

// Gives a recording back to the pool; null is ignored.
//
// # Safety
// As `texemu_recording_reset`; `recording` is not used afterwards.
void texemu_recording_destroy(struct texemu_recording *recording);

// Bytes of device memory that the recording holds for scratch; 0 for null.
//
// # Safety
// `recording` is null or valid.
uint64_t texemu_recording_scratch_bytes(const struct texemu_recording *recording);

// Beside `vkCmdBindPipeline`; bind points other than compute are ignored.
//
// # Safety
// `recording` is valid.
VkResult texemu_state_bind_pipeline(struct texemu_recording *recording, VkPipelineBindPoint point, VkPipeline pipeline);

// Beside `vkCmdBindDescriptorSets`; bind points other than compute are ignored.
//
// # Safety
// `recording` is valid, and the arrays hold as many elements as their counts say.
VkResult texemu_state_bind_descriptor_sets(struct texemu_recording *recording,
                                           VkPipelineBindPoint point,
                                           VkPipelineLayout layout,
                                           uint32_t first_set,
                                           uint32_t set_count,
                                           const VkDescriptorSet *sets,
                                           uint32_t dynamic_offset_count,
                                           const uint32_t *dynamic_offsets);

// Beside `vkCmdPushDescriptorSetKHR`; bind points other than compute are ignored.
//
// # Safety
// `recording` is valid, and `writes` holds `write_count` valid structures.
VkResult texemu_state_push_descriptor_set(struct texemu_recording *recording,
                                          VkPipelineBindPoint point,
                                          VkPipelineLayout layout,
                                          uint32_t set,
                                          uint32_t write_count,
                                          const VkWriteDescriptorSet *writes);

// Beside `vkCmdPushConstants`, for all stages: push constants are shared by all bind points.
//
// # Safety
// `recording` is valid; `values` holds `size` bytes.
VkResult texemu_state_push_constants(struct texemu_recording *recording,
                                     VkPipelineLayout layout,
                                     VkShaderStageFlags stages,
                                     uint32_t offset,
                                     uint32_t size,
                                     const void *values);

// Beside `vkCmdBeginConditionalRenderingEXT`: decodes are not to be skipped with what surrounds them.
//
// # Safety
// Both pointers are valid, and the device was created with the extension.
VkResult texemu_state_begin_conditional_rendering(struct texemu_recording *recording,
                                                  const VkConditionalRenderingBeginInfoEXT *info);

// Beside `vkCmdEndConditionalRenderingEXT`.
//
// # Safety
// `recording` is valid.
VkResult texemu_state_end_conditional_rendering(struct texemu_recording *recording);

// Forgets all that was told: after `vkCmdExecuteCommands`, which leaves no state.
//
// # Safety
// `recording` is valid.
VkResult texemu_state_clear(struct texemu_recording *recording);

// `vkCreateImage`. `TEXEMU_NOT_EMULATED`: create it with `info` as it is, and tell `texemu_note_image`.
//
// The image is the decoded plane's own handle: barriers, descriptors and `vkCmdBlitImage` from it work as on any image. Views, memory
// and copies go through this library. The chain and arrays of `info` are not changed. Compiles the image's pipelines unless
// they are there already or `compile_late` is set.
//
// # Safety
// As `vkCreateImage`, on a device that has the format.
VkResult texemu_create_image(const struct texemu_emulator *emulator,
                             const VkImageCreateInfo *info,
                             const VkAllocationCallbacks *allocator,
                             VkImage *image);

// `vkDestroyImage`.
//
// # Safety
// As `vkDestroyImage`, with callbacks compatible with those of the creation.
VkResult texemu_destroy_image(const struct texemu_emulator *emulator,
                              VkImage image,
                              const VkAllocationCallbacks *allocator);

// Destroys an image once the device has passed `value` on a timeline of the caller's choosing: see `texemu_collect`. From now on the
// image is unknown here.
//
// # Safety
// `emulator` is valid. All work with the image was submitted, and ends by the time that the timeline reaches `value`. The image was
// created without allocation callbacks.
VkResult texemu_retire_image(const struct texemu_emulator *emulator,
                             VkImage image,
                             uint64_t value);

// Destroys the images that were retired with values up to `reached`; their memory may be freed after this. Tells in `*left`, which may
// be null, how many are still waiting.
//
// # Safety
// `emulator` is valid, and `left` null or valid. The device is done with all work up to `reached`.
VkResult texemu_collect(const struct texemu_emulator *emulator,
                        uint64_t reached,
                        uint32_t *left);

// Whether this is an emulated image. Costs one load while there are none.
//
// # Safety
// `emulator` is null or valid.
VkBool32 texemu_is_emulated(const struct texemu_emulator *emulator, VkImage image);

// What stands behind an emulated image.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `report` is set.
VkResult texemu_describe_image(const struct texemu_emulator *emulator,
                               VkImage image,
                               struct texemu_image_report *report);

// Remembers an image that is not emulated, so that it can be copied from and to emulated ones. Images that cannot meet one are not
// kept, so this may be called with all.
//
// # Safety
// Both pointers are valid.
VkResult texemu_note_image(const struct texemu_emulator *emulator,
                           VkImage image,
                           const VkImageCreateInfo *info);

// Forgets what `texemu_note_image` remembered; for when the image is destroyed.
//
// # Safety
// `emulator` is valid.
VkResult texemu_forget_image(const struct texemu_emulator *emulator, VkImage image);

// `vkCreateImageView`. The view is destroyed as any other. Its format is the image's or the other of the pair UNORM and SRGB; others
// fail with `VK_ERROR_FORMAT_NOT_SUPPORTED`.
//
// # Safety
// As `vkCreateImageView`.
VkResult texemu_create_image_view(const struct texemu_emulator *emulator,
                                  const VkImageViewCreateInfo *info,
                                  const VkAllocationCallbacks *allocator,
                                  VkImageView *view);

// `vkGetImageMemoryRequirements`: of both planes together.
//
// # Safety
// Both pointers are valid.
VkResult texemu_get_image_memory_requirements(const struct texemu_emulator *emulator,
                                              VkImage image,
                                              VkMemoryRequirements *requirements);

// `vkGetImageMemoryRequirements2`, with `VkMemoryDedicatedRequirements` in the chain.
//
// # Safety
// The pointers are valid, and start valid chains.
VkResult texemu_get_image_memory_requirements2(const struct texemu_emulator *emulator,
                                               const VkImageMemoryRequirementsInfo2 *info,
                                               VkMemoryRequirements2 *requirements);

// `vkGetDeviceImageMemoryRequirements`: before there is an image. Where the target is chosen only when the image is created
// (`TEXEMU_POLICY_AUTO`, or a ceiling), this suffices for any of them.
//
// # Safety
// The pointers are valid, and start valid chains.
VkResult texemu_get_device_image_memory_requirements(const struct texemu_emulator *emulator,
                                                     const VkDeviceImageMemoryRequirements *info,
                                                     VkMemoryRequirements2 *requirements);

// `vkGetImageSparseMemoryRequirements` and its `2` form: `*count` becomes 0, for emulated images are never sparse.
//
// # Safety
// Both pointers are valid.
VkResult texemu_get_image_sparse_memory_requirement_count(const struct texemu_emulator *emulator,
                                                          VkImage image,
                                                          uint32_t *count);

// `vkAllocateMemory` for memory that the application dedicates to an emulated image which keeps its blocks: two resources lie in it, so
// the device must not be told that it is for one. `TEXEMU_NOT_EMULATED`: allocate with `info` as it is.
//
// # Safety
// As `vkAllocateMemory`.
VkResult texemu_allocate_memory(const struct texemu_emulator *emulator,
                                const VkMemoryAllocateInfo *info,
                                const VkAllocationCallbacks *allocator,
                                VkDeviceMemory *memory);

// `vkBindImageMemory`: binds both planes.
//
// # Safety
// As `vkBindImageMemory`, with the requirements that were given here.
VkResult texemu_bind_image_memory(const struct texemu_emulator *emulator,
                                  VkImage image,
                                  VkDeviceMemory memory,
                                  VkDeviceSize offset);

// `vkBindImageMemory2`, for emulated images and others together: calls the driver with all of them, then binds the compressed planes.
// Never answers `TEXEMU_NOT_EMULATED`.
//
// # Safety
// As `vkBindImageMemory2`, with the requirements that were given here.
VkResult texemu_bind_image_memory2(const struct texemu_emulator *emulator,
                                   uint32_t info_count,
                                   const VkBindImageMemoryInfo *infos);

// `vkCmdCopyBufferToImage`. `access` is a `texemu_source_access`. Disturbs the compute state of `commands`, unless `recording` was told
// it: see `texemu_state_bind_pipeline`.
//
// # Safety
// - As `vkCmdCopyBufferToImage`; `recording` belongs to `commands`.
// - With `TEXEMU_SOURCE_ACCESS_TEXEL_BUFFER`, `buffer` was created with UNIFORM_TEXEL_BUFFER usage.
VkResult texemu_cmd_copy_buffer_to_image(const struct texemu_emulator *emulator,
                                         VkCommandBuffer commands,
                                         struct texemu_recording *recording,
                                         uint32_t access,
                                         VkBuffer buffer,
                                         VkImage image,
                                         VkImageLayout layout,
                                         uint32_t region_count,
                                         const VkBufferImageCopy *regions);

// `vkCmdCopyBufferToImage2`; otherwise as `texemu_cmd_copy_buffer_to_image`.
//
// # Safety
// As `texemu_cmd_copy_buffer_to_image`, for the `2` form.
VkResult texemu_cmd_copy_buffer_to_image2(const struct texemu_emulator *emulator,
                                          VkCommandBuffer commands,
                                          struct texemu_recording *recording,
                                          uint32_t access,
                                          const VkCopyBufferToImageInfo2 *info);

// `texemu_cmd_copy_buffer_to_image` of a buffer whose bytes the caller knows, by way of the transcode cache (`cache_memory_bytes` in
// `texemu_settings`): into an image with a BC target, what was copied before is not decoded again. For other images, and where the cache
// is off, it is the same as without. `content` is what the buffer holds from its first byte on, `content_bytes` long.
//
// # Safety
// As `texemu_cmd_copy_buffer_to_image`. The buffer holds `content` whenever the commands run; `content` is read during the call alone.
VkResult texemu_cmd_copy_known_buffer_to_image(const struct texemu_emulator *emulator,
                                               VkCommandBuffer commands,
                                               struct texemu_recording *recording,
                                               uint32_t access,
                                               VkBuffer buffer,
                                               const uint8_t *content,
                                               size_t content_bytes,
                                               VkImage image,
                                               VkImageLayout layout,
                                               uint32_t region_count,
                                               const VkBufferImageCopy *regions);

// `vkCmdCopyImageToBuffer`: the original bytes. Disturbs no state.
//
// # Safety
// As `vkCmdCopyImageToBuffer`; `recording` belongs to `commands`.
VkResult texemu_cmd_copy_image_to_buffer(const struct texemu_emulator *emulator,
                                         VkCommandBuffer commands,
                                         struct texemu_recording *recording,
                                         VkImage image,
                                         VkBuffer buffer,
                                         uint32_t region_count,
                                         const VkBufferImageCopy *regions);

// `vkCmdCopyImageToBuffer2`; otherwise as `texemu_cmd_copy_image_to_buffer`.
//
// # Safety
// As `texemu_cmd_copy_image_to_buffer`, for the `2` form.
VkResult texemu_cmd_copy_image_to_buffer2(const struct texemu_emulator *emulator,
                                          VkCommandBuffer commands,
                                          struct texemu_recording *recording,
                                          const VkCopyImageToBufferInfo2 *info);

// `vkCmdCopyImage`, of images of which at least one is emulated. The other must be known by `texemu_note_image`. Disturbs the compute
// state if the image copied to is emulated, as `texemu_cmd_copy_buffer_to_image` does.
//
// # Safety
// As `vkCmdCopyImage`; `recording` belongs to `commands`.
VkResult texemu_cmd_copy_image(const struct texemu_emulator *emulator,
                               VkCommandBuffer commands,
                               struct texemu_recording *recording,
                               VkImage src,
                               VkImageLayout src_layout,
                               VkImage dst,
                               VkImageLayout dst_layout,
                               uint32_t region_count,
                               const VkImageCopy *regions);

// `vkCmdCopyImage2`; otherwise as `texemu_cmd_copy_image`.
//
// # Safety
// As `texemu_cmd_copy_image`, for the `2` form.
VkResult texemu_cmd_copy_image2(const struct texemu_emulator *emulator,
                                VkCommandBuffer commands,
                                struct texemu_recording *recording,
                                const VkCopyImageInfo2 *info);

// Decodes the blocks of `range` that copies on a queue which cannot compute have left in the compressed plane, for hosts that do not let
// `texemu_cmd_pipeline_barrier` do it. Call it on a queue that can, behind the barrier that acquires the image, or behind the semaphore if its families share it. The image is in `layout`; what
// wrote its blocks is visible to TRANSFER, and afterwards the texels are as written by a copy.
//
// # Safety
// As `vkCmdCopyBufferToImage` into that range; `recording` belongs to `commands`.
VkResult texemu_cmd_decode(const struct texemu_emulator *emulator,
                           VkCommandBuffer commands,
                           struct texemu_recording *recording,
                           VkImage image,
                           VkImageLayout layout,
                           const VkImageSubresourceRange *range);

// `vkCmdPipelineBarrier`, for hosts with queues that cannot compute. A barrier that acquires emulated images from such a family is recorded
// here, and behind it the decoding of the ranges that it acquires; all others are `TEXEMU_NOT_EMULATED`, for the driver. Disturbs the
// compute state if it decodes, as `texemu_cmd_copy_buffer_to_image` does.
//
// # Safety
// As `vkCmdPipelineBarrier`; `recording` belongs to `commands`.
VkResult texemu_cmd_pipeline_barrier(const struct texemu_emulator *emulator,
                                     VkCommandBuffer commands,
                                     struct texemu_recording *recording,
                                     VkPipelineStageFlags src_stage_mask,
                                     VkPipelineStageFlags dst_stage_mask,
                                     VkDependencyFlags dependency_flags,
                                     uint32_t memory_barrier_count,
                                     const VkMemoryBarrier *memory_barriers,
                                     uint32_t buffer_barrier_count,
                                     const VkBufferMemoryBarrier *buffer_barriers,
                                     uint32_t image_barrier_count,
                                     const VkImageMemoryBarrier *image_barriers);

// `vkCmdPipelineBarrier2`; otherwise as `texemu_cmd_pipeline_barrier`.
//
// # Safety
// As `texemu_cmd_pipeline_barrier`, for the `2` form.
VkResult texemu_cmd_pipeline_barrier2(const struct texemu_emulator *emulator,
                                      VkCommandBuffer commands,
                                      struct texemu_recording *recording,
                                      const VkDependencyInfo *info);

// Says that what `recording` holds was submitted to a queue that cannot compute, and is done when a timeline of the caller's choosing
// reaches `value`. Only for images that nobody acquires, because the families share them; for others it does nothing.
//
// # Safety
// Both pointers are valid.
VkResult texemu_submit_copies(const struct texemu_emulator *emulator,
                              const struct texemu_recording *recording,
                              uint64_t value);

// How many copies wait for `texemu_cmd_decode_copies`; 0 for null.
//
// # Safety
// `emulator` is null or valid.
uint64_t texemu_pending_copies(const struct texemu_emulator *emulator);

// Decodes the blocks that were submitted with values up to `reached`. `commands` goes to a queue that can compute, behind a wait for
// `reached` at `VK_PIPELINE_STAGE_ALL_COMMANDS_BIT`, and before all that uses the images, which needs no barrier. The images stay in the
// layout that they were left in.
//
// # Safety
// As `vkCmdCopyBufferToImage` into what was copied; `recording` belongs to `commands`, which are submitted once.
VkResult texemu_cmd_decode_copies(const struct texemu_emulator *emulator,
                                  VkCommandBuffer commands,
                                  struct texemu_recording *recording,
                                  uint64_t reached);

// What the transcode cache did.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `statistics` is set.
VkResult texemu_get_cache_statistics(const struct texemu_emulator *emulator,
                                     struct texemu_cache_statistics *statistics);

// What all emulated images need.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `statistics` is set.
VkResult texemu_get_statistics(const struct texemu_emulator *emulator, struct texemu_statistics *statistics);

// What images of one format need and were used for; all zero if there was none.
//
// # Safety
// Both pointers are valid, and the `struct_size` of `statistics` is set.
VkResult texemu_get_format_statistics(const struct texemu_emulator *emulator,
                                      VkFormat format,
                                      struct texemu_format_statistics *statistics);

// The source formats that were asked about since the emulator was made. With `formats` null, `*count` becomes their number;
// otherwise it says how many `formats` holds, and becomes how many were written: `VK_INCOMPLETE` if those were not all.
//
// # Safety
// `emulator` and `count` are valid; `formats` is null or holds `*count` elements.
VkResult texemu_get_formats_asked(const struct texemu_emulator *emulator,
                                  uint32_t *count,
                                  VkFormat *formats);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TEXEMU_H */
