import Tables

/// A page that is being completed: its request, and where its rows are if they were gathered.
struct PageRead {
    let field: PlannedField
    /// The number of the parent's row.
    let parent: Int
    let arguments: PageArguments
    /// Nil when the page is empty without reading.
    let request: PageRequest?
    /// Reads rows without a column.
    let bare: FetchFamily
}
