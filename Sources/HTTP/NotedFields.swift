/// Those field lines, by their place among all, counted from 1; 0 is none. Of lines with the same name the first counts,
/// as in `Request.withHeader`.
///
/// Two bytes each, because a request is passed on by copies; `HTTPLimits.clamped` allows no more lines than that.
struct NotedFields: Sendable {
    private var accept: UInt16 = 0
    private var apiKey: UInt16 = 0
    private var authorization: UInt16 = 0
    private var contentType: UInt16 = 0
    private var host: UInt16 = 0
    private var origin: UInt16 = 0

    /// The index of the field line.
    subscript(field: NotedField) -> Int? {
        let place =
            switch field {
            case .accept: accept
            case .apiKey: apiKey
            case .authorization: authorization
            case .contentType: contentType
            case .host: host
            case .origin: origin
            }
        return place == 0 ? nil : Int(place) - 1
    }

    mutating func note(_ field: NotedField, at index: Int) {
        guard self[field] == nil else { return }
        let place = UInt16(index + 1)
        switch field {
        case .accept: accept = place
        case .apiKey: apiKey = place
        case .authorization: authorization = place
        case .contentType: contentType = place
        case .host: host = place
        case .origin: origin = place
        }
    }
}
