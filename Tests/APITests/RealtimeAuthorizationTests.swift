import Encodings
import Foundation
import Testing

@testable import API

@Suite("Realtime: carriers of the authorization")
struct RealtimeAuthorizationTests {
    private static let object = #"{"host":"localhost:20002","X-Api-Key":"da2-????>"}"#

    private func carrier(
        _ subprotocols: [String] = ["graphql-ws"], query: String? = nil, headers: [(name: String, value: String)] = [],
        bytesMax: Int = 4096
    ) -> RealtimeOpening.Carrier {
        let opening = RealtimeOpening(subprotocols: subprotocols, query: query.map { Array($0.utf8) }, headers: headers)
        return opening.carrier(bytesMax: bytesMax)
    }

    private func key(_ carrier: RealtimeOpening.Carrier) -> String? {
        if case .found(let authorization) = carrier { authorization["x-api-key"] } else { nil }
    }

    @Test("base64 with + and / arrives raw, percent-encoded, in the other alphabet, padded or not")
    func alphabets() throws {
        let standard = Data(Self.object.utf8).base64EncodedString()
        try #require(standard.contains("+") && standard.contains("/") && standard.hasSuffix("="))
        let other = standard.replacing("+", with: "-").replacing("/", with: "_")
        let bare = other.replacing("=", with: "")
        let percent = standard.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
        for text in [standard, other, bare, percent, standard.replacing("=", with: "")] {
            #expect(key(carrier(query: "header=\(text)&payload=e30=")) == "da2-????>", "\(text)")
        }
        for text in [bare, other] { #expect(key(carrier(["graphql-ws", "header-\(text)"])) == "da2-????>") }
    }

    @Test("of several carriers the first counts, readable or not")
    func order() {
        func text(_ key: String) -> String { Data(#"{"x-api-key":"\#(key)"}"#.utf8).base64EncodedString() }
        let headers = [(name: "X-API-Key", value: "3")]
        let all = carrier(["header-\(text("1"))", "graphql-ws"], query: "header=\(text("2"))", headers: headers)
        #expect(key(all) == "1")
        #expect(key(carrier(query: "a=b&header=\(text("2"))&header=\(text("9"))", headers: headers)) == "2")
        #expect(key(carrier(query: "headers=\(text("2"))&payload=nonsense", headers: headers)) == "3")
        #expect(carrier(["graphql-ws", "header-!"], headers: headers) == .unreadable)
        #expect(carrier(headers: [("host", "localhost")]) == .none)
        #expect(carrier(query: "", headers: []) == .none)
    }

    @Test(
        "what is no flat object of strings is unreadable",
        arguments: [
            #"{"x-api-key":1}"#, #"{"a":{}}"#, #"["x-api-key"]"#, "null", "", "x", #"{"a":"b"} "c""#, #"{"a":"b""#,
            "{\"a\":\"\u{1}\"}",
        ])
    func shape(json: String) {
        #expect(carrier(query: "header=\(Data(json.utf8).base64EncodedString())") == .unreadable)
    }

    @Test(
        "what is no base64, too long, or has a payload that is not empty is unreadable",
        arguments: ["e30=e30=", "e30===", "e", "e3 0", "%", "%zz", "e30=&payload=eyJhIjoiYiJ9", "e30=&payload=%"])
    func broken(text: String) {
        #expect(carrier(query: "header=\(text)") == .unreadable)
        #expect(key(carrier(query: "header=\(text)", headers: [("x-api-key", "3")])) == nil)
    }

    @Test("the bound on a carrier is its text's, and an empty payload may be written as nothing")
    func bound() {
        #expect(carrier(query: "header=e30=&payload=", bytesMax: 4) == .found(RealtimeAuthorization([])))
        #expect(carrier(query: "header=e30=&payload=e30", bytesMax: 3) == .unreadable)
    }

    @Test("credentials of connection_init stand in it or in its headers, in any case, among anything else")
    func connectionParams() {
        func read(_ text: String) -> RealtimeAuthorization {
            unsafe Array(text.utf8).withUnsafeBytes {
                unsafe RealtimeAuthorization(connectionParams: $0, bytesMax: 1_000) ?? RealtimeAuthorization([])
            }
        }
        #expect(
            read(#"{"a":[1,{"authorization":"no"}],"headers":{"X-API-KEY":"k","n":1},"z":null}"#)["x-api-key"] == "k")
        #expect(read(#"{"Authorization":"Bearer t"}"#)["authorization"] == "Bearer t")
        for text in [#"{"headers":"x-api-key"}"#, #"{"other":{"x-api-key":"k"}}"#, "null", "[]", ""] {
            #expect(!read(text).hasCredentials)
        }
    }

    @Test("an authorization with a name twice, or longer than its bound, is unreadable")
    func repeatedNames() {
        func read(_ text: String, _ bytesMax: Int) -> RealtimeAuthorization? {
            unsafe Array(text.utf8).withUnsafeBytes { unsafe RealtimeAuthorization(object: $0, bytesMax: bytesMax) }
        }
        let text = #"{"host":"a","x-api-key":"k"}"#
        #expect(read(text, text.utf8.count)?["host"] == "a")
        #expect(read(text, text.utf8.count - 1) == nil)
        #expect(read(#"{"host":"a","Host":"b"}"#, 1_000) == nil)
    }

    @Test("the strings of connection_init have as many bytes as an authorization, and of a name the first counts")
    func boundedConnectionParams() {
        func read(_ text: String) -> RealtimeAuthorization? {
            unsafe Array(text.utf8).withUnsafeBytes {
                unsafe RealtimeAuthorization(connectionParams: $0, bytesMax: 20)
            }
        }
        #expect(read(#"{"host":"a","headers":{"Host":"b","HOST":"c"}}"#)?.headers.map(\.value) == ["a"])
        #expect(read(#"{"a":"\#(String(repeating: "x", count: 19))"}"#)?.headers.count == 1)
        #expect(read(#"{"a":"\#(String(repeating: "x", count: 20))"}"#) == nil)
        #expect(read(#"{"a":"123456789","headers":{"b":"1234567890"}}"#) == nil)
        // What is no string is not kept.
        #expect(read(#"{"a":[\#(String(repeating: "1,", count: 100))1]}"#)?.isEmpty == true)
    }

    @Test("base64 says the same as Foundation's, for all lengths")
    func decoder() {
        for count in 0..<70 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.decode(Array(text.utf8)) == bytes)
            #expect(Base64.decode(text.utf8.filter { $0 != UInt8(ascii: "=") }) == bytes)
        }
    }
}
