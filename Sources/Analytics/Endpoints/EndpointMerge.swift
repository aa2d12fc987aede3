import JSON

/// An update of an endpoint, merged with the document that is stored.
struct EndpointMerge: Sendable {
    /// What is to be stored: the document, and the user in it.
    struct Merged: Sendable {
        let text: String
        let userID: String?
    }

    /// The document before; nil if there is none.
    private let stored: String?
    /// Whether the result depends on the stored document.
    private let dependsOnStored: Bool
    let result: Result<Merged, EndpointProblem>

    /// Merges a change. This takes time in proportion to both.
    init(_ stored: String?, _ change: EndpointChange, _ limits: AnalyticsLimits) {
        (self.stored, dependsOnStored) = (stored, true)
        var document = stored.map(EndpointDocument.init) ?? EndpointDocument()
        let counts = document.maps.map(\.members.count)
        document.apply(change)
        for (map, count) in zip(document.maps, counts)
        where map.members.count > max(count, limits.attributesPerEndpointMax) {
            result = .failure(.tooManyAttributes(in: map.name, limits))
            return
        }
        let text = document.text
        if text.utf8.count > limits.endpointBytesMax {
            result = .failure(.tooLarge(limits))
        } else if let id = document.userID, id.utf8.count > limits.idBytesMax {
            result = .failure(EndpointProblem(message: "'User.UserId' has at most \(limits.idBytesMax) bytes."))
        } else {
            result = .success(Merged(text: text, userID: document.userID))
        }
    }

    /// A stored endpoint that is not changed.
    init(unchanged stored: String, userID: String?) {
        (self.stored, dependsOnStored) = (stored, true)
        result = .success(Merged(text: stored, userID: userID))
    }

    /// An update that is refused, whatever is stored.
    init(refused problem: EndpointProblem) {
        (stored, dependsOnStored, result) = (nil, false, .failure(problem))
    }

    /// Whether the result is that for this stored document.
    func isOf(_ document: String?) -> Bool {
        guard dependsOnStored else { return true }
        guard let stored, let document else { return stored == nil && document == nil }
        return stored.isExactly(document)
    }

    /// Bytes of both documents.
    var byteCount: Int {
        let merged = if case .success(let merged) = result { merged.text.utf8.count } else { 0 }
        return merged + (stored?.utf8.count ?? 0)
    }
}
