import Testing

@testable import HTTP

@Suite("Peers") struct PeerTests {
    @Test("the hash of an address leaves out the port, and of IPv6 the last 64 bits")
    func addressHash() {
        func hash(_ description: String) -> Int { Peer(description: description).network.hashValue }
        #expect(hash("127.0.0.1:1") == hash("127.0.0.1:2"))
        #expect(hash("127.0.0.1:1") != hash("127.0.0.2:1"))
        #expect(hash("[2001:db8::5]:1") == hash("[2001:db8:0:0:a:b:c:d]:2"))
        #expect(hash("[2001:db8:0:1::5]:1") != hash("[2001:db8::5]:1"))
        #expect(hash("[::1]:1") == hash("[::2]:1") && hash("[1::]:1") != hash("[::1]:1"))
        #expect(hash("[::ffff:1.2.3.4]:1") != hash("[::ffff:1.2.3.5]:1"))
        #expect(hash("unknown") == hash("unknown"))
    }
}
