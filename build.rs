//! build
extern crate shaderc_link as _;
fn main(){}
