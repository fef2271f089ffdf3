//! Request: what the proxy's own clients send: an echo request with a region to route by and a user with a secret.
//!
//! ```text
//! request  node 01 { id 10, region 12, user 13 { name 01, token 02 }, body 11 }
//! ```

use y3::Encoder;

use crate::echo::protocol::{Protocol, Reply, Y3};
use gateway::message::{BODY, ID, REQUEST};

pub const REGION: u8 = 0x12;
pub const USER: u8 = 0x13;
/// The regions of requests, in turns.
pub const REGIONS: [&str; 2] = ["eu", "us"];
/// What a policy removes.
pub const TOKEN: &[u8] = b"secret-3f9d5a7e41c8";

/// Requests for a proxy.
#[derive(Debug)]
pub struct Tagged;

impl Protocol for Tagged {
    #[inline]
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]) {
        let region = REGIONS[usize::from(id.is_multiple_of(2))];
        let put = Encoder::new(out).node(REQUEST, |node| {
            node.put(ID, id)?;
            node.put(REGION, region)?;
            node.node(USER, |user| {
                user.put(0x01, "ann")?;
                user.put(0x02, TOKEN)
            })?;
            node.put(BODY, body)
        });
        debug_assert!(put.is_ok(), "{put:?}");
    }

    #[inline]
    fn replies(buffer: &[u8], base: u64, each: impl FnMut(Reply)) -> Result<usize, String> {
        Y3::replies(buffer, base, each)
    }
}
