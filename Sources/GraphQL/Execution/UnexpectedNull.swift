/// A null that came by a variable to where none may be.
struct UnexpectedNull: Error {
    var name: String
    var type: String
    var offset: UInt32
}
