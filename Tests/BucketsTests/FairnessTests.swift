import Tables
import Testing

@testable import Buckets

@Suite("Long operations beside short ones")
struct FairnessTests {
    @Test("lists are read by a thread of their own, and other requests do not wait for them")
    func lists() async throws {
        let lists = GatedExecutor()
        let stage = try await BucketStage(listExecutor: lists)
        for number in 0..<250 { #expect(await stage.put("public/\(number)", "x").status == 200) }
        async let list = stage.call("GET", "/media?list-type=2&max-keys=240")
        #expect(await stage.put("public/a", "y").status == 200)
        #expect(await stage.call("GET", "/media/public/a").text == "y")
        #expect(await stage.call("DELETE", "/media/public/a").status == 204)
        #expect(lists.submittedCount <= 1)
        lists.open()
        let page = await list
        #expect(page.elements("Key").count == 240 && page.element("IsTruncated") == "true")
        // In pieces, between which other lists have their turn.
        #expect(lists.submittedCount == 3)
        let token = page.element("NextContinuationToken") ?? ""
        let rest = await stage.call("GET", "/media?list-type=2&continuation-token=\(token)")
        #expect(rest.elements("Key").count == 10 && rest.element("IsTruncated") == "false")
        #expect(Set(page.elements("Key") + rest.elements("Key")).count == 250)
    }
}
