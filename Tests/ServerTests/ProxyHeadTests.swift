import Testing

@testable import Server

/// The head of a connection to `syncline proxy`, without sockets.
@Suite("The head of a request to the proxy")
struct ProxyHeadTests {
    private func read(_ text: String, cuts: [Int] = [], _ limits: ProxyLimits = ProxyLimits()) -> ProxyHeadReader.Event
    {
        var reader = ProxyHeadReader(limits)
        let bytes = Array(text.utf8)
        for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
            let event = reader.receive(bytes[start..<end])
            if event != .needsBytes { return event }
        }
        return .needsBytes
    }

    private func status(_ text: String) -> Int? {
        guard case .refusal(let refusal) = read(text) else { return nil }
        return refusal.status
    }

    private func connect(_ target: String) -> String { "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n" }

    @Test("a CONNECT is read, by HTTP/1.1 and as Python's client sends it")
    func connects() throws {
        let target = try #require(ProxyTarget("a.example:443"))
        #expect(target.host == "a.example" && target.port == 443 && target.address == nil)
        for text in [
            connect("a.example:443"), connect("A.EXAMPLE.:443"),
            "CONNECT a.example:443 HTTP/1.0\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\nProxy-Connection: keep-alive\r\nContent-Length: 0\r\n\r\n",
        ] {
            #expect(read(text) == .request(.connect(target, credentials: nil)), "\(text)")
        }
    }

    @Test("the head is the same however its bytes are cut, and what follows it belongs to the tunnel")
    func cuts() {
        let text = connect("a.example:443")
        let whole = read(text)
        for cut in 1..<text.utf8.count { #expect(read(text, cuts: [cut]) == whole) }
        #expect(read(text, cuts: Array(1..<text.utf8.count)) == whole)
        var reader = ProxyHeadReader(ProxyLimits())
        #expect(reader.receive(Array((text + "\u{16}\u{3}GET / HTTP/1.1\r\n\r\n").utf8)) == whole)
        #expect(reader.rest == Array("\u{16}\u{3}GET / HTTP/1.1\r\n\r\n".utf8))
    }

    @Test("credentials are those of the scheme Basic, decoded; others are none")
    func credentials() throws {
        let target = try #require(ProxyTarget("a.example:443"))
        let rows: [(String, String?)] = [
            ("Basic YWRhOnNlY3JldA==", "ada:secret"), ("bAsIc   YWRhOnNlY3JldA==", "ada:secret"), ("Basic ???", nil),
            ("Bearer YWRhOnNlY3JldA==", nil), ("Basic", nil),
        ]
        for (value, expected) in rows {
            let text = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nProxy-Authorization: \(value)\r\n\r\n"
            let request = ProxyRequest.connect(target, credentials: expected.map { Array($0.utf8) })
            #expect(read(text) == .request(request), "\(value)")
        }
        let twice =
            "CONNECT a.example:443 HTTP/1.0\r\nProxy-Authorization: Basic YTpi\r\nproxy-authorization: Basic YTpi\r\n\r\n"
        #expect(status(twice) == 400)
    }

    @Test(
        "a target that is not one host and one port is refused",
        arguments: [
            "a.example", "a.example:", "a.example:0", "a.example:0443", "a.example:65536", "a.example:443:443",
            "a.example:-443", "a.example:+443", "a.example:44３", ":443", "u@a.example:443", "a.example/:443",
            "a..b:443",
            "-a.example:443", "a.example%00:443", "::1:443", "[::1:443", "[]:443", "[a.example]:443", "[127.0.0.1]:443",
            "[fe80::1%eth0]:443", "[[2600::1]]:443", "[::ffff:127.0.0.1]:443", "[::ffff:7f00:1]:443", "127.1:443",
            "2130706433:443",
            "0x7f000001:443", "0177.0.0.1:443", "127.0.0.0x1:443", "https://a.example:443",
        ])
    func targets(_ text: String) {
        #expect(ProxyTarget(text[...]) == nil)
        #expect(status(connect(text)) == 400)
    }

    @Test("an address is read as one, and only in its usual form")
    func addresses() throws {
        #expect(try #require(ProxyTarget("[2600::1]:443")).address == IPAddress("2600::1"))
        #expect(try #require(ProxyTarget("8.8.8.8.:443")).address == IPAddress("8.8.8.8"))
        #expect(try #require(ProxyTarget("[2600:0:0::1]:443")).text == "[2600::1]:443")
    }

    @Test("a head that another server would read otherwise is refused")
    func smuggled() {
        let line = "CONNECT a.example:443 HTTP/1.1\r\n"
        for text in [
            // Another host than the target's, two of them, none.
            line + "Host: b.example:443\r\n\r\n", line + "Host: a.example:444\r\n\r\n",
            line + "Host: b.example\r\n\r\n",
            line + "Host: a.example\r\nHost: a.example\r\n\r\n", line + "\r\n",
            // A body, whose bytes would be the tunnel's.
            line + "Host: a.example\r\nContent-Length: 5\r\n\r\nhello",
            line + "Host: a.example\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
            line + "Host: a.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            // Lines that end otherwise, continue, or have no name.
            "CONNECT a.example:443 HTTP/1.1\nHost: a.example\n\r\n\r\n", line + "Host: a.example\nX: y\r\n\r\n",
            line + "Host: a.example\r\n X: y\r\n\r\n", line + "Host : a.example\r\n\r\n", line + ": a.example\r\n\r\n",
            line + "Host: a.example\r\nX\r\n\r\n", line + "Host: a.example\u{0}\r\n\r\n",
            line + "Host: a.example\rX: y\r\n\r\n",
            // Request lines with more or other words.
            "CONNECT  a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", "CONNECT a.example:443\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1 \r\nHost: a.example\r\n\r\n", "CONNECT a.example:443 XTTP/1.1\r\n\r\n",
            "CONN\u{1}ECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
        ] {
            #expect(status(text) == 400, "\(text)")
        }
        #expect(status("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 505)
    }

    @Test("what is no request of HTTP is refused with its first byte")
    func foreign() {
        #expect(status("\u{16}") == 400, "TLS")
        #expect(status("\u{5}\u{1}\u{0}") == 400, "SOCKS")
        #expect(status("\r\n") == 400)
    }

    @Test("a head is bounded in bytes, with and without an end")
    func bounds() {
        var limits = ProxyLimits()
        limits.headBytesMax = 64
        let start = "CONNECT a.example:443 HTTP/1.0\r\nX: "
        func text(_ count: Int) -> String {
            start + String(repeating: "x", count: count - start.utf8.count - 4) + "\r\n\r\n"
        }
        guard case .request = read(text(64), limits) else {
            Issue.record("64 bytes are within the bound")
            return
        }
        for text in [text(65), String(text(80).dropLast(4))] {
            #expect(read(text, limits) == .refusal(.headTooLarge))
            #expect(read(text, cuts: Array(1..<text.utf8.count), limits) == .refusal(.headTooLarge))
        }
        #expect(read(String(text(63).dropLast()), limits) == .needsBytes)
    }

    private func read(_ text: String, _ limits: ProxyLimits) -> ProxyHeadReader.Event { read(text, cuts: [], limits) }

    @Test("the configuration file is the one page; other methods are answered with advice")
    func others() {
        func request(_ line: String) -> String { "\(line) HTTP/1.1\r\nHost: 127.0.0.1:20010\r\n\r\n" }
        #expect(read(request("GET /proxy.pac")) == .request(.autoConfiguration(isHead: false, host: "127.0.0.1:20010")))
        #expect(
            read(request("HEAD /proxy.pac?x=1")) == .request(.autoConfiguration(isHead: true, host: "127.0.0.1:20010")))
        #expect(status(request("GET /")) == 404)
        for line in [
            "GET http://a.example/", "POST /proxy.pac", "OPTIONS *", "DELETE https://a.example/",
            "connect a.example:443",
        ] {
            guard case .refusal(let refusal) = read(request(line)) else {
                Issue.record("\(line) is refused")
                continue
            }
            #expect(refusal.status == 405 && refusal.response.contains("\r\nAllow: CONNECT\r\n"), "\(line)")
            #expect(refusal.text.contains("HTTPS_PROXY"))
        }
    }
}

/// Which targets the proxy connects to, without sockets.
@Suite("The policy of the proxy")
struct ProxyRulesTests {
    private func decide(_ target: String, _ policy: ProxyPolicy, _ credentials: String? = nil) throws
        -> ProxyPolicy.Decision
    {
        let target = try #require(ProxyTarget(target[...]))
        return policy.decide(.connect(target, credentials: credentials.map { Array($0.utf8) }))
    }

    private func status(_ decision: ProxyPolicy.Decision) -> Int? {
        guard case .refusal(let refusal) = decision else { return nil }
        return refusal.status
    }

    private let policy = ProxyPolicy(serverNames: ["s3.eu-west-1.amazonaws.com"])

    @Test("the project's names go to the server, others to themselves, at port 443 alone")
    func names() throws {
        #expect(try decide("s3.eu-west-1.amazonaws.com:443", policy) == .server)
        #expect(try decide("S3.EU-WEST-1.AMAZONAWS.COM.:443", policy) == .server)
        let other = try #require(ProxyTarget("x.s3.eu-west-1.amazonaws.com:443"))
        #expect(try decide("x.s3.eu-west-1.amazonaws.com:443", policy) == .destination(other))
        for target in ["s3.eu-west-1.amazonaws.com:80", "a.example:22", "a.example:8443", "[2600::1]:25"] {
            #expect(status(try decide(target, policy)) == 403, "\(target)")
        }
        var closed = policy
        closed.refusesOthers = true
        #expect(try decide("s3.eu-west-1.amazonaws.com:443", closed) == .server)
        #expect(status(try decide("a.example:443", closed)) == 403)
    }

    @Test("where credentials are required, nothing is decided without them")
    func credentials() throws {
        var policy = policy
        policy.credentials = ProxyCredentials(user: "ada", password: "se:cret")
        #expect(try decide("s3.eu-west-1.amazonaws.com:443", policy, "ada:se:cret") == .server)
        for given in [nil, "", "ada", "ada:", "ada:secret", "ada:se:cre", "ada:se:cret ", "ADA:se:cret", "adb:se:cret"]
        {
            #expect(status(try decide("s3.eu-west-1.amazonaws.com:443", policy, given)) == 407, "\(given ?? "none")")
            #expect(status(try decide("a.example:22", policy, given)) == 407, "nothing of the policy is shown")
        }
        #expect(ProxyRefusal.credentialsRequired.response.contains("\r\nProxy-Authenticate: Basic realm="))
        #expect(ProxyCredentials(user: "", password: "x") == nil)
        #expect(ProxyCredentials(user: "a:b", password: "x") == nil)
        #expect(ProxyCredentials(user: "a", password: "") == nil)
        #expect(ProxyCredentials(user: "a", password: "x\n") == nil)
        #expect(ProxyCredentials(user: "a", password: String(repeating: "x", count: 2000)) == nil)
    }

    @Test(
        "an address that is not the public internet's is never connected to",
        arguments: [
            "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
            "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "::127.0.0.1", "::8.8.8.8", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1",
            "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2001::1", "2001:db8::1", "2002:7f00:1::1",
            "3fff::1", "100::1", "4000::1",
        ])
    func forbidden(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!ProxyPolicy.isPublic(address))
        let other = try #require(IPAddress("8.8.8.8"))
        #expect(ProxyPolicy.refusal(of: [other, address], ownAddresses: [])?.status == 403, "one of several is enough")
    }

    @Test("a public address is connected to, unless it is this machine's")
    func allowed() throws {
        for text in ["8.8.8.8", "52.218.0.1", "172.32.0.1", "2600::1", "2a05:d000::1", "64:ff9b::808:808"] {
            let address = try #require(IPAddress(text))
            #expect(ProxyPolicy.refusal(of: [address], ownAddresses: []) == nil, "\(text)")
            #expect(ProxyPolicy.refusal(of: [address], ownAddresses: [address])?.status == 403, "\(text)")
        }
        #expect(ProxyPolicy.refusal(of: [], ownAddresses: [])?.status == 502)
    }

    @Test("counts are counted in all and by networks, and given back")
    func counts() {
        var limits = ProxyLimits()
        (limits.connectionsMax, limits.connectionsPerNetworkMax) = (4, 2)
        var counts = ConnectionCounts(limits)
        #expect(counts.acquire("a") && counts.acquire("a") && !counts.acquire("a"))
        #expect(counts.acquire(nil) && counts.acquire("b") && !counts.acquire("c") && !counts.acquire(nil))
        counts.release("a")
        #expect(counts.acquire("a") && counts.count == 4)
        for network in ["a", "a", nil, "b"] { counts.release(network) }
        #expect(counts.count == 0 && counts.acquire("a"))
    }

    @Test("the auto-configuration names exactly the names, for https")
    func autoConfiguration() {
        let text = ProxyAutoConfiguration(names: ["b.example", "a.example"], proxy: "127.0.0.1:20010").text
        #expect(text.contains("        \"a.example\": true,\n        \"b.example\": true\n    };"))
        #expect(text.contains(#"names.hasOwnProperty(name) ? "PROXY 127.0.0.1:20010" : "DIRECT""#))
        #expect(text.contains(#"host.toLowerCase().replace(/\.$/, "")"#))
    }
}
