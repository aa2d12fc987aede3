import JSON
import Testing

@testable import API

@Suite("The tutorials, the server's part", .bothExecutors) struct TutorialTests {
    @Test("room booking: rooms, users who choose their id, bookings with dates")
    func booking() throws {
        let service = try Service(Schemas.booking)
        let createRoom =
            "mutation CreateRoom($input: CreateRoomInput!) { createRoom(input: $input) { id city description imageKey price __typename } }"
        for (id, city, price) in [("r1", "Paris", 120), ("r2", "Oslo", 80), ("r3", "Blois", 300)] {
            try service.expect(
                createRoom,
                #"{"input": {"id": "\#(id)", "city": "\#(city)", "description": "d", "imageKey": "k", "price": \#(price)}}"#,
                data:
                    #"{"createRoom":{"id":"\#(id)","city":"\#(city)","description":"d","imageKey":"k","price":\#(price),"__typename":"Room"}}"#
            )
        }
        let createUser = "mutation CreateUser($input: CreateUserInput!) { createUser(input: $input) { id username } }"
        let user = #"{"input": {"id": "Zoë  Müller ☕", "username": "Zoë"}}"#
        try service.expect(createUser, user, data: #"{"createUser":{"id":"Zoë  Müller ☕","username":"Zoë"}}"#)
        // A second device that creates the same user is refused, and no row is lost.
        try service.expect(createUser, user, data: #"{"createUser":null}"#, errors: [conditionFailed("createUser")])
        #expect(try service.errors(createUser, #"{"input": {"id": "", "username": "nobody"}}"#).count == 1)
        #expect(try service.ids("{ listUsers { items { id } } }", at: "listUsers") == "Zoë  Müller ☕")

        let createBooking = """
            mutation CreateBooking($input: CreateBookingInput!) {
              createBooking(input: $input) { id checkInDate checkOutDate guestId room { id city __typename } __typename }
            }
            """
        for (id, guest, date) in [("b1", "Zoë  Müller ☕", "2026-12-15"), ("b2", "Ada", "2026-12-16Z")] {
            let input =
                #""id": "\#(id)", "guestId": "\#(guest)", "checkInDate": "\#(date)", "checkOutDate": "2026-12-20", "bookingRoomId": "r1""#
            try service.expect(
                createBooking, #"{"input": {\#(input)}}"#,
                data:
                    #"{"createBooking":{"id":"\#(id)","checkInDate":"\#(date)","checkOutDate":"2026-12-20","guestId":"\#(guest)","#
                    + #""room":{"id":"r1","city":"Paris","__typename":"Room"},"__typename":"Booking"}}"#)
        }
        try service.expect(
            "query ListBookings($filter: ModelBookingFilterInput, $limit: Int) { "
                + "listBookings(filter: $filter, limit: $limit) { items { id checkInDate } nextToken } }",
            #"{"filter": {"guestId": {"eq": "Ada"}}, "limit": 1000}"#,
            data: #"{"listBookings":{"items":[{"id":"b2","checkInDate":"2026-12-16Z"}],"nextToken":null}}"#)
        let badDate = try service.errors(
            createBooking,
            #"{"input": {"guestId": "Ada", "checkInDate": "2026-02-30", "checkOutDate": "2026-12-20", "bookingRoomId": "r1"}}"#
        )
        #expect(badDate.count == 1)
        #expect(try service.ids("{ listBookings { items { id } } }", at: "listBookings") == "b1 b2")
    }

    @Test("cash flow: one account, created on the first run, found on the second, exact as a double")
    func cashFlow() throws {
        let service = try Service(Schemas.cashFlow)
        let get = #"query GetAccount($id: ID!) { getAccount(id: $id) { id balance } }"#
        let id = #"{"id": "currentUserId"}"#
        try service.expect(get, id, data: #"{"getAccount":null}"#)
        try service.expect(
            "mutation CreateAccount($input: CreateAccountInput!) { createAccount(input: $input) { id balance } }",
            #"{"input": {"id": "currentUserId", "balance": 0}}"#,
            data: #"{"createAccount":{"id":"currentUserId","balance":0.0}}"#)
        for balance in ["0.1", "0.30000000000000004", "-1024.1", "123456789012.34", "1.7976931348623157e308"] {
            let value = try #require(Double(balance))
            let answer = try service.value(
                "mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { balance } }",
                #"{"input": {"id": "currentUserId", "balance": \#(balance)}}"#, at: "updateAccount", "balance")
            #expect(answer?.doubleValue == value)
            #expect(try service.value(get, id, at: "getAccount", "balance")?.doubleValue == value)
        }
        // A client that says what it believes the balance to be.
        try service.expect(
            #"mutation { updateAccount(input: {id: "currentUserId", balance: 1}, condition: {balance: {eq: 5}}) { id } }"#,
            data: #"{"updateAccount":null}"#, errors: [conditionFailed("updateAccount")])
    }

    @Test("chat: users, threads by place, messages by time, replies, and who is in which thread")
    func chat() throws {
        let service = try Service(Schemas.chat)
        try service.expect(
            "query GetUser($id: ID!) { getUser(id: $id) { id username postcode } }", #"{"id": "ada"}"#,
            data: #"{"getUser":null}"#)
        try service.seed(
            #"mutation { createUser(input: {id: "ada", sub: "1", username: "Ada"}) { id } }"#,
            #"mutation { createUser(input: {id: "ben", sub: "2", username: "Ben"}) { id } }"#,
            #"mutation { updateUser(input: {id: "ada", postcode: "SW1A 1AA"}) { id } }"#,
            #"mutation { a: createThread(input: {id: "t1", name: "Dogs", location: "SW1A"}) { id } }"#,
            #"mutation { b: createThread(input: {id: "t2", name: "Cats", location: "E2"}) { id } }"#)
        // The other user has no such attribute.
        #expect(
            try service.ids(
                "{ listUsers(filter: {postcode: {attributeExists: false}}) { items { id } } }", at: "listUsers")
                == "ben")
        try service.expect(
            "query ByLocation($location: String) { ThreadByLocation(location: $location) { items { id name } nextToken } }",
            #"{"location": "SW1A"}"#,
            data: #"{"ThreadByLocation":{"items":[{"id":"t1","name":"Dogs"}],"nextToken":null}}"#)
        // Written out of order, as devices that were offline do.
        for (id, day, author) in [("m2", 2, "ben"), ("m3", 3, "ada"), ("m1", 1, "ada")] {
            try service.seed(
                """
                mutation { createMessage(input: {body: "\(id)", createdAt: "2026-01-0\(day)T10:00:00.000Z", id: "\(id)",
                    messageAuthorId: "\(author)", messageThreadId: "t1"}) { id author { id } thread { id } } }
                """)
        }
        try service.expect(
            #"{ getThread(id: "t1") { messages { items { body author { username postcode } } nextToken } } }"#,
            data:
                #"{"getThread":{"messages":{"items":[{"body":"m1","author":{"username":"Ada","postcode":"SW1A 1AA"}},"#
                + #"{"body":"m2","author":{"username":"Ben","postcode":null}},"#
                + #"{"body":"m3","author":{"username":"Ada","postcode":"SW1A 1AA"}}],"nextToken":null}}}"#)
        #expect(
            try service.ids(
                #"{ getThread(id: "t1") { messages(sortDirection: DESC, limit: 2) { items { id } } } }"#,
                at: "getThread", "messages")
                == "m3 m2")
        try service.seed(
            #"mutation { createReply(input: {id: "p2", body: "2", replyAuthorId: "ada", replyMessageId: "m1", createdAt: "2026-02-02T00:00:00Z"}) { id } }"#,
            #"mutation { createReply(input: {id: "p1", body: "1", replyAuthorId: "ben", replyMessageId: "m1", createdAt: "2026-02-01T00:00:00Z"}) { id } }"#,
            #"mutation { createUserThread(input: {userThreadUserId: "ada", userThreadThreadId: "t1"}) { id } }"#,
            #"mutation { createUserThread(input: {userThreadUserId: "ben", userThreadThreadId: "t1"}) { id } }"#,
            #"mutation { createUserThread(input: {userThreadUserId: "ada", userThreadThreadId: "t2"}) { id } }"#)
        try service.expect(
            """
            { getMessage(id: "m1") { replies { items { body author { id } message { id } } } }
              getUser(id: "ada") { threads { items { thread { name } } } messages { items { id } } replies { items { id } } }
              getThread(id: "t1") { associated { items { user { username } } } } }
            """,
            data: #"{"getMessage":{"replies":{"items":[{"body":"1","author":{"id":"ben"},"message":{"id":"m1"}},"#
                + #"{"body":"2","author":{"id":"ada"},"message":{"id":"m1"}}]}},"#
                + #""getUser":{"threads":{"items":[{"thread":{"name":"Dogs"}},{"thread":{"name":"Cats"}}]},"#
                + #""messages":{"items":[{"id":"m3"},{"id":"m1"}]},"replies":{"items":[{"id":"p2"}]}},"#
                + #""getThread":{"associated":{"items":[{"user":{"username":"Ada"}},{"user":{"username":"Ben"}}]}}}"#)
        try service.expect(
            "{ listReplys { items { id } } }", data: #"{"listReplys":{"items":[{"id":"p2"},{"id":"p1"}]}}"#)
        // Deleting takes nothing along.
        try service.expect(
            #"mutation { deleteThread(input: {id: "t1"}) { id messages { items { id } } } }"#,
            data: #"{"deleteThread":{"id":"t1","messages":{"items":[{"id":"m1"},{"id":"m2"},{"id":"m3"}]}}}"#)
        try service.expect(
            #"{ getMessage(id: "m1") { body thread { id } } }"#, data: #"{"getMessage":{"body":"m1","thread":null}}"#)
    }
}
