use super::*;
use crate::redis::acl::Users;
use std::net::{Ipv4Addr, SocketAddr};

fn client(clients: &crate::redis::clients::Clients) -> Arc<Client> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    clients.add(address, address, 0, 1000, Users::new("").default_account())
}

fn received(client: &Client) -> String {
    let mut out = Reply::default();
    client.outbox.drain_into(&mut out);
    String::from_utf8(out.take()).unwrap()
}

#[test]
fn delivers_by_channel_and_by_pattern_in_the_receivers_protocol() {
    let (pubsub, clients) = (Pubsub::default(), Default::default());
    let (one, other) = (client(&clients), client(&clients));
    other.outbox.set_protocol(Protocol::Resp3);
    pubsub.add(Kind::Channel, b"abc", &one);
    pubsub.add(Kind::Pattern, b"a*", &one);
    pubsub.add(Kind::Channel, b"abc", &other);
    pubsub.add(Kind::Shard, b"abc", &other);
    let mut message = Message { channel: b"abc".to_vec(), payload: b"x".to_vec(), is_shard: false };
    assert_eq!(pubsub.receiver_count(&message), 3);
    assert_eq!(pubsub.publish(&message), 3);
    assert_eq!(
        received(&one),
        "*3\r\n$7\r\nmessage\r\n$3\r\nabc\r\n$1\r\nx\r\n\
         *4\r\n$8\r\npmessage\r\n$2\r\na*\r\n$3\r\nabc\r\n$1\r\nx\r\n"
    );
    assert_eq!(received(&other), ">3\r\n$7\r\nmessage\r\n$3\r\nabc\r\n$1\r\nx\r\n");
    message.is_shard = true;
    assert_eq!((pubsub.receiver_count(&message), pubsub.publish(&message)), (1, 1));
    assert_eq!(received(&other), ">3\r\n$8\r\nsmessage\r\n$3\r\nabc\r\n$1\r\nx\r\n");
    for kind in [Kind::Channel, Kind::Shard] {
        pubsub.remove(kind, b"abc", &other);
    }
    assert_eq!(pubsub.subscriber_count(Kind::Channel, b"abc"), 1);
    assert_eq!(
        (pubsub.name_count(Kind::Shard), pubsub.names(Kind::Pattern)),
        (0, vec![b"a*".to_vec()])
    );
}
