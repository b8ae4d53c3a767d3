//! Instances and devices under the layer: what they say, and how they are made.
