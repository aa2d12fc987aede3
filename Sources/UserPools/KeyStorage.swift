/// Storage of keys outside of the database: files that only their owner may read.
public struct KeyStorage: Sendable {
    /// A key file failed.
    public struct Failure: Error, Sendable {
        /// What failed, as a sentence.
        public var message: String

        /// A failure with its sentence.
        public init(message: String) { self.message = message }
    }

    /// The bytes of a file; nil when there is none.
    public var read: @Sendable (_ name: String) throws(Failure) -> [UInt8]?
    /// Replaces a file as a whole.
    public var write: @Sendable (_ name: String, _ bytes: [UInt8]) throws(Failure) -> Void
    /// Removes a file; one that is not there is no failure.
    public var remove: @Sendable (_ name: String) throws(Failure) -> Void

    /// A storage of three functions.
    public init(
        read: @escaping @Sendable (_ name: String) throws(Failure) -> [UInt8]?,
        write: @escaping @Sendable (_ name: String, _ bytes: [UInt8]) throws(Failure) -> Void,
        remove: @escaping @Sendable (_ name: String) throws(Failure) -> Void
    ) {
        (self.read, self.write, self.remove) = (read, write, remove)
    }
}
