import Testing

@testable import Transformer

@Suite("Pluralize")
struct PluralizeTests {
    @Test(
        "a word has the plural that clients know",
        arguments: [
            ("Category", "Categories"), ("Reply", "Replies"), ("Box", "Boxes"), ("Cactus", "Cacti"),
            ("Person", "People"), ("Fish", "Fish"), ("Address", "Addresses"), ("News", "News"),
            ("LandmarkData", "LandmarkData"), ("Inventory", "Inventories"), ("C", "CS"), ("Status", "Statuses"),
            ("Hero", "Heroes"), ("Photo", "Photos"), ("Leaf", "Leaves"), ("Media", "Media"), ("Index", "Indices"),
            ("MyNews", "MyNews"), ("Log", "Logs"), ("ABC", "ABCS"), ("Schema", "Schemata"), ("MySchema", "MySchemas"),
            ("BlogPerson", "BlogPeople"), ("TodoChild", "TodoChildren"), ("UserThread", "UserThreads"),
        ])
    func checks(word: String, plural: String) { #expect(Pluralize.plural(word) == plural) }

    @Test(
        "each rule is reached",
        arguments: [
            ("Woman", "Women"), ("Bureaux", "Bureaux"), ("Mouse", "Mice"), ("titmouse", "titmice"),
            ("Blouse", "Blouses"), ("Matrix", "Matrices"), ("Church", "Churches"), ("Quizz", "Quizzes"),
            ("Monkey", "Monkeys"), ("Money", "Monies"), ("Soliloquy", "Soliloquies"), ("Day", "Days"),
            ("Knife", "Knives"), ("Wolf", "Wolves"), ("Hoof", "Hooves"), ("Roof", "Roofs"), ("Analysis", "Analyses"),
            ("Criterion", "Criteria"), ("Datum", "Data"), ("Tomato", "Tomatoes"), ("Cherub", "Cherubim"),
            ("Alumna", "Alumnae"), ("Radius", "Radii"), ("Gas", "Gases"), ("Menu", "Menus"), ("Menus", "Menus"),
            ("Alias", "Aliases"), ("Axis", "Axes"), ("Testis", "Testes"), ("Chinese", "Chinese"), ("Deer", "Deer"),
            ("Measles", "Measles"), ("Sheep", "Sheep"), ("Thou", "You"), ("Ox", "Oxen"), ("quiz", "quizzes"),
            ("People", "People"), ("Children", "Children"), ("Echoes", "Echoes"), ("CATEGORY", "CATEGORIES"),
            ("Bus", "Buses"), ("Police", "Police"), ("This", "These"), ("Iris", "Irises"), ("Passerby", "Passersby"),
            ("", ""), ("X", "XES"), ("_", "_s"), ("Item2", "Item2s"),
        ])
    func rules(word: String, plural: String) { #expect(Pluralize.plural(word) == plural) }

    @Test("a list is named with a bare s, unless proper plurals are wished for")
    func lists() {
        #expect(Names.list("Reply", improvePluralization: false) == "listReplys")
        #expect(Names.list("reply", improvePluralization: true) == "listReplies")
    }
}
