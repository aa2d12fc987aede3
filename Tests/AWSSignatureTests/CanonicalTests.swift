import Testing

@testable import AWSSignature

@Suite("The canonical request")
struct CanonicalTests {
    /// A line of the canonical request: 1 is the path, 2 the query, from 3 on the headers.
    private func line(
        _ number: Int, path: String = "/", query: String = "",
        headers: [(name: String, value: String)] = [("host", "h")],
        isS3: Bool = false
    ) throws -> String {
        let request = SignedRequest(method: "GET", path: path, query: query, headers: headers)
        let canonical = try CanonicalRequest(
            request, query: try QueryParameters(query), signedHeaders: headers.map(\.name), payloadHash: "hash",
            isS3: isS3)
        return String(canonical.text.split(separator: "\n", omittingEmptySubsequences: false)[number])
    }

    @Test("the path of S3 is encoded once and not normalized")
    func pathOfS3() throws {
        let cases = [
            ("", "/"), ("/", "/"), ("//", "//"), ("/a/../b/./c/", "/a/../b/./c/"), ("/a b", "/a%20b"),
            ("/%c3%a9", "/%C3%A9"), ("/%41%7E", "/A~"), ("/us-east-1%3Aid", "/us-east-1%3Aid"),
            ("/us-east-1:id", "/us-east-1%3Aid"), ("/a+b", "/a%2Bb"), ("/a%2Fb", "/a/b"), ("/%25", "/%25"),
        ]
        for (path, expected) in cases { #expect(try line(1, path: path, isS3: true) == expected, "\(path)") }
        #expect(throws: SignatureError.malformedPath) { try line(1, path: "/%", isS3: true) }
    }

    @Test("the path of another service is normalized and encoded twice")
    func pathOfOthers() throws {
        let cases = [
            ("", "/"), ("/", "/"), ("//", "/"), ("/a/../b/./c/", "/b/c/"), ("/..", "/"), ("/a/..", "/"),
            ("/a//b//", "/a/b/"), ("/a%20b", "/a%2520b"), ("/a:b", "/a%3Ab"), ("/%2E%2e/a", "/%252E%252e/a"),
            ("/%zz", "/%25zz"), ("/...", "/..."),
        ]
        for (path, expected) in cases { #expect(try line(1, path: path) == expected, "\(path)") }
    }

    @Test("parameters are decoded, encoded and sorted by name and then value")
    func query() throws {
        let cases = [
            ("", ""), ("uploads", "uploads="), ("b=2&a=1", "a=1&b=2"), ("a=2&a=1&a", "a=&a=1&a=2"),
            ("a=b=c", "a=b%3Dc"), ("a=b+c", "a=b%2Bc"), ("a=%e9%A9", "a=%E9%A9"), ("a=/~", "a=%2F~"),
            ("&&a=1&", "a=1"), ("=x", "=x"), ("a-b=1&a=1&ab=1&A=1", "A=1&a=1&a-b=1&ab=1"),
            ("X-Amz-Signature=1&x-amz-signature=2&X%2DAmz-Signature=3", "x-amz-signature=2"),
        ]
        for (query, expected) in cases { #expect(try line(2, query: query) == expected, "\(query)") }
    }

    @Test("values are trimmed, runs of blanks are one space, and repeated headers are joined")
    func headers() throws {
        #expect(try line(3, headers: [("a", " \t x \t  y ")]) == "a:x y")
        #expect(try line(3, headers: [("a", "")]) == "a:")
        let request = SignedRequest(
            method: "GET", path: "/", headers: [("Host", "h"), ("X-A", " 1 "), ("x-b", "3"), ("x-a", "2")])
        let canonical = try CanonicalRequest(
            request, query: try QueryParameters(""), signedHeaders: ["host", "x-a"], payloadHash: "hash", isS3: true)
        #expect(canonical.text == "GET\n/\n\nhost:h\nx-a:1,2\n\nhost;x-a\nhash")
    }
}
