//! The echo over gRPC with tonic. The message derives prost's trait, and build.rs generates client and server.

use bytes::Bytes;
use tokio::net::TcpListener;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

use super::load::Echo;
use super::protocol::CallError;

#[allow(clippy::all, clippy::pedantic, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/echo.Echo.rs"));
}

use generated::echo_client::EchoClient;
use generated::echo_server::{Echo as Service, EchoServer};

/// An id and a body, as in the other protocols.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Message {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(bytes = "bytes", tag = "2")]
    pub body: Bytes,
}

struct Handler;

#[tonic::async_trait]
impl Service for Handler {
    async fn echo(&self, request: Request<Message>) -> Result<Response<Message>, Status> {
        Ok(Response::new(request.into_inner()))
    }
}

/// Serves until `stop` is ready.
pub async fn serve(listener: TcpListener, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
    let service = EchoServer::new(Handler);
    let incoming = tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
    Server::builder().add_service(service).serve_with_incoming_shutdown(incoming, stop).await?;
    Ok(())
}

/// A caller. Several callers share its channel.
pub struct Caller {
    client: EchoClient<Channel>,
    id: u64,
}

/// Creates callers that share one HTTP/2 connection.
pub async fn callers(address: std::net::SocketAddr, number: usize) -> anyhow::Result<Vec<Caller>> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true).connect().await?;
    Ok((0..number).map(|_| Caller { client: EchoClient::new(channel.clone()), id: 0 }).collect())
}

impl Echo for Caller {
    async fn echo(&mut self, body: &Bytes) -> Result<(), CallError> {
        self.id += 1;
        let request = Message { id: self.id, body: body.clone() };
        let reply = self.client.echo(request).await.map_err(|status| CallError::Refused(status.to_string()))?;
        let reply = reply.into_inner();
        if reply.id == self.id && reply.body == *body { Ok(()) } else { Err(CallError::Different) }
    }
}
