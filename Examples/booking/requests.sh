#!/usr/bin/env bash
# Room booking: rooms seeded by the client, users who choose their own id, bookings with calendar dates.
source "$(dirname "$0")/../graphql.sh"

create_room='mutation ($input: CreateRoomInput!) { createRoom(input: $input) { id description city price } }'
create_user='mutation ($input: CreateUserInput!) { createUser(input: $input) { id username } }'
create_booking='mutation ($input: CreateBookingInput!) {
    createBooking(input: $input) { id guestId checkInDate checkOutDate room { id city price } } }'

echo '# three rooms'
graphql "$create_room" '{"input": {"id": "r1", "description": "Loft", "city": "Paris", "price": 120, "imageKey": "loft"}}'
graphql "$create_room" '{"input": {"id": "r2", "description": "Cabin", "city": "Oslo", "price": 80, "imageKey": "cabin"}}'
graphql "$create_room" '{"input": {"id": "r3", "description": "Château", "city": "Blois", "price": 300, "imageKey": "chateau"}}'
graphql '{ listRooms { items { id description city } } }'
echo '# a user id is the user name: any text, but not an empty one'
graphql "$create_user" '{"input": {"id": "Zoë  Müller ☕", "username": "Zoë  Müller ☕"}}'
graphql "$create_user" '{"input": {"id": "", "username": "nobody"}}'
echo '# a second device that creates the same user gets the conditional failure; the row stays'
graphql "$create_user" '{"input": {"id": "Zoë  Müller ☕", "username": "somebody else"}}'
graphql 'query ($id: ID!) { getUser(id: $id) { id username } }' '{"id": "Zoë  Müller ☕"}'
echo '# two bookings of one room both succeed'
graphql "$create_booking" '{"input": {"id": "b1", "guestId": "Zoë  Müller ☕", "checkInDate": "2026-12-15", "checkOutDate": "2026-12-18", "bookingRoomId": "r1"}}'
graphql "$create_booking" '{"input": {"id": "b2", "guestId": "Ada", "checkInDate": "2026-12-16Z", "checkOutDate": "2026-12-17Z", "bookingRoomId": "r1"}}'
echo '# the bookings of one guest'
graphql 'query ($guest: ID!) { listBookings(filter: {guestId: {eq: $guest}}) { items { id checkInDate room { city } } nextToken } }' \
    '{"guest": "Ada"}'
echo '# a date that is none is refused, and nothing is written'
graphql "$create_booking" '{"input": {"id": "b3", "guestId": "Ada", "checkInDate": "2026-02-30", "checkOutDate": "2026-12-17", "bookingRoomId": "r1"}}'
graphql '{ getBooking(id: "b3") { id } }'
echo '# cheap rooms that are not in Paris'
graphql '{ listRooms(filter: {price: {lt: 250}, not: {city: {eq: "Paris"}}}) { items { id city price } } }'
echo '# cancelled'
graphql 'mutation { deleteBooking(input: {id: "b1"}) { id guestId room { id } } }'
graphql '{ listBookings { items { id } } }'
