/// The methods of a route, to be looked up for each request: the usual ones by a bit.
struct MethodSet: Sendable {
    let methods: [Method]
    private let bits: UInt8

    init(_ methods: [Method]) {
        self.methods = methods
        bits = methods.reduce(0) { $0 | $1.bit }
    }

    func contains(_ method: Method) -> Bool {
        let bit = method.bit
        return bit != 0 ? bits & bit != 0 : methods.contains(method)
    }
}

extension Method {
    /// A bit of its own for each of the usual methods; 0 for others.
    fileprivate var bit: UInt8 {
        switch self {
        case .get: 1
        case .head: 2
        case .post: 4
        case .put: 8
        case .patch: 16
        case .delete: 32
        case .options: 64
        case .other: 0
        }
    }
}
