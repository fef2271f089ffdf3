//! Calls: requests on their way to backends.
//!
//! In: a client and its id for a request. Out: the proxy's own id, which the backend sends back, and with it the client.

use std::rc::Rc;

use slab::Slab;

use crate::message::Id;
use crate::peer::Peer;
use crate::upstream::Upstream;

/// The low bits of an id are the slot. The bits above count calls, so that a late reply is not given to a later call.
const PLACE: u32 = 22;

/// A request that waits for its reply.
#[derive(Debug)]
pub struct Call {
    number: u64,
    pub peer: Rc<Peer>,
    /// The client's id.
    pub id: Id,
    pub upstream: Rc<Upstream>,
    /// The clock's tick at the start.
    pub since: u32,
}

/// All calls.
#[derive(Debug, Default)]
pub struct Calls {
    slots: Slab<Call>,
    count: u64,
}

impl Calls {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The id of the next call; `None` if there are too many.
    pub fn next(&self) -> Option<u64> {
        let place = self.slots.vacant_key() as u64;
        (place < 1 << PLACE).then_some(self.count << PLACE | place)
    }

    /// Begins the call with the id that [`next`](Self::next) gave.
    pub fn begin(&mut self, number: u64, peer: &Rc<Peer>, id: Id, upstream: &Rc<Upstream>, since: u32) {
        for connection in [&peer.connection, &upstream.connection] {
            connection.in_flight.set(connection.in_flight.get() + 1);
        }
        self.slots.insert(Call { number, peer: Rc::clone(peer), id, upstream: Rc::clone(upstream), since });
        // Wraps after 2^41 calls, and an id stays positive.
        self.count = (self.count + 1) & ((1 << 41) - 1);
    }

    /// Ends the call with this id, if it went to this backend. The end of a connection ends its calls, so the call belongs
    /// to the current connection.
    #[inline]
    pub fn end(&mut self, number: u64, upstream: &Rc<Upstream>) -> Option<Call> {
        let place = usize::try_from(number & ((1 << PLACE) - 1)).ok()?;
        let call = self.slots.get(place)?;
        (call.number == number && Rc::ptr_eq(&call.upstream, upstream)).then(|| self.slots.remove(place))
    }

    /// Ends all calls for which `over` returns `true`.
    pub fn end_all(&mut self, mut over: impl FnMut(&Call) -> bool) -> Vec<Call> {
        let places: Vec<usize> = self.slots.iter().filter(|(_, call)| over(call)).map(|(place, _)| place).collect();
        places.into_iter().map(|place| self.slots.remove(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    #[test]
    fn a_late_reply_is_nobodys_also_if_another_call_has_its_place() {
        let backend = |port| Rc::new(Upstream::new(([127, 0, 0, 1], port).into(), &Metrics::default()));
        let (peer, one, other) = (Rc::<Peer>::default(), backend(2), backend(3));
        let mut calls = Calls::default();
        let begin = |calls: &mut Calls| {
            let number = calls.next().unwrap();
            calls.begin(number, &peer, Id::new(7), &one, 0);
            number
        };
        let late = begin(&mut calls);
        assert_eq!(calls.end_all(|_| true).len(), 1);
        let now = begin(&mut calls);
        assert!(calls.end(late, &one).is_none() && calls.end(now, &other).is_none());
        assert!(calls.end(now, &one).is_some() && calls.is_empty());
    }
}
