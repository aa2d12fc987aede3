/// A folder for throw-away data: fresh, readable by this user alone, and removed when the server ends.
public struct EphemeralFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes the folder where the system keeps such things, in memory if there is such a place.
    public init() throws(ServerError) {
        let parent = Self.parentFolder
        do {
            path = try Files.makeFreshFolder(in: parent, prefix: "syncline")
        } catch {
            throw ServerError(
                .data,
                "Cannot make a folder for throw-away data in \(parent): \(error.reason). Name another with TMPDIR."
            )
        }
    }

    /// Removes the folder and all that is in it.
    public func remove() { Files.removeFolder(path) }
}
