import GraphQL

/// The lines and columns of a document's fields, for the errors of one request.
///
/// A denied field has an error for each row. Its place is found once, and each place from the nearest mark before it, so that
/// the places of many fields in a long document do not take a time that grows with the square of it.
final class FieldPlaces {
    /// A cursor at every so many bytes of the document.
    private let marks: [SourceCursor]
    private var places: [UInt32: SourceLocation] = [:]

    /// Bytes between two marks.
    private static let bytesPerMark = 1_024

    init(_ source: Source) {
        var cursor = SourceCursor(source)
        var marks: [SourceCursor] = []
        for offset in stride(from: 0, through: source.bytes.count, by: Self.bytesPerMark) {
            _ = cursor.location(of: offset)
            marks.append(cursor)
        }
        self.marks = marks
    }

    /// The place of a field by its offset in the document.
    func location(of offset: UInt32) -> SourceLocation {
        if let place = places[offset] { return place }
        var cursor = marks[min(Int(offset) / Self.bytesPerMark, marks.count - 1)]
        let place = cursor.location(of: Int(offset))
        places[offset] = place
        return place
    }
}
