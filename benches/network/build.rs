//! Generates tonic's client and server from a description in Rust, so protoc is not needed.

use tonic_build::manual::{Builder, Method, Service};

fn main() {
    let echo = Method::builder()
        .name("echo")
        .route_name("Echo")
        .input_type("crate::echo::grpc::Message")
        .output_type("crate::echo::grpc::Message")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    Builder::new().compile(&[Service::builder().name("Echo").package("echo").method(echo).build()]);
}
