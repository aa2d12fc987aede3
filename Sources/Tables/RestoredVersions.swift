/// What a restore did for devices that hold items of the data that was replaced.
public struct RestoredVersions: Sendable, Hashable {
    /// Whether the replaced data could be read and went on from the backup. Else all versions were raised by
    /// `unknownRise`, and items that the backup lacks stay on devices until they clear their store.
    public var isComplete: Bool
    /// Items of the replaced data that the backup lacks, and that are deleted now.
    public var deletedCount: Int

    /// How much versions rise past those of a backup when it is not known how far they had come.
    public static let unknownRise: Int64 = 1_000_000
}
