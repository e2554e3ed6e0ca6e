import { choice, count } from "./knob.ts";

export const ruleKnobs = {
  // Rules of the world.
  searchMatch: choice("Whom a search finds.", "exact", {
    exact: "users whose identifier or address is the text that was asked",
    external: "those, and users with that external identifier",
    fuzzy: "every user whose address or identifier contains the text",
  }),
  searchPages: choice("How much of what a search found comes with one request.", "whole", {
    whole: "everybody, unless the query names a page (S1 and S2)",
    paged: "a page, as of a list (S1 and S2)",
    "first-ten": "the first ten, whatever the query says, and nothing tells that there are more",
  }),
  searchMaxIdentifiers: count(
    "How many texts of one search are looked at, 0 for all; `searchOverMax` says what becomes of more.",
    0,
  ),
  searchOverMax: choice("What becomes of a search for more texts than are looked at.", "drop", {
    drop: "the others are left out without a word",
    reject: "it is refused with 400",
  }),
  match: choice("When two addresses are one.", "ci", {
    ci: "whatever their letter case",
    exact: "where every letter is the same, so that two users may differ in letter case alone",
  }),
  emailCase: choice("In which letter case an address is kept.", "preserve", {
    preserve: "as it was sent",
    lower: "in small letters",
  }),
  externalId: choice("What external identifier a new user has.", "keep", {
    keep: "the one that was sent, else none",
    email: "the address, whatever was sent",
  }),
  texts: choice("What becomes of the names and the title of a new user.", "keep", {
    keep: "they are kept as they were sent",
    trim: "white space around them is cut off, and an empty title is none",
    "drop-title": "names are kept, the title is not",
  }),
  maxTitle: count("Letters of a new user's title at the most, 0 for any number; a longer one is a 400.", 0),
  conflict: choice("What the creation of a user answers whose address is taken.", "409", {
    "409": "409",
    "400": "400",
    "422": "422",
    "500": "500, as when a unique constraint is violated",
    "200": "200 with the user who is there",
    "409-though-created": "409, and a free address too is answered with 409, although the user is created",
  }),
  deleted: choice("What is left of a user whose status is Deleted.", "visible", {
    visible: "they are shown as any other, and their address is taken",
    "hidden-but-blocks": "no list, search or account shows them, and their address is taken",
    reusable: "no list, search or account shows them, and their address is free",
  }),
  founderRoles: choice("To what `accessKeyRoles` are appended on the key of whoever founds a team.", "TEAM_ROLE", {
    TEAM_ROLE: "TEAM_ROLE; without any the key has ACCOUNT_ADMIN too",
    "ACCOUNT_ADMIN+TEAM_ROLE": "ACCOUNT_ADMIN and TEAM_ROLE",
  }),
  putRoles: choice("What the replacement of a key's roles leaves on it.", "replace", {
    replace: "the roles that were sent",
    "keep-TEAM_ROLE": "those, and TEAM_ROLE",
    merge: "those, and all that it had before",
    "reject-without-TEAM_ROLE": "those; a list without TEAM_ROLE is refused with 400",
  }),
  roleKinds: choice("Whether a key must be of the kind that its roles are for.", "free", {
    free: "every key may have every role",
    strict: "PROJECT is for projects' keys alone, and they have no other; a team's key has no role of the type system",
  }),
  memberIdentifiers: choice("By what the addition of members names a user.", "both", {
    both: "identifier or address",
    identifier: "identifier alone",
    email: "address alone",
  }),
  readd: choice("What becomes of the addition of somebody who is a member already.", "409", {
    "409": "it is refused with 409",
    noop: "nothing; it is answered as if they had been added, with the key that they have",
    reinvite: "as noop, and the invitation is mailed again",
    remove: "they are a member no more",
  }),
  credentialScope: choice("Which users the list of users shows to an administrator.", "all", {
    all: "all of the account, or of every account",
    team: "only whoever shares a team with the administrator; a search finds everybody",
  }),
  authOnAccounts: choice("Whether the lists of accounts and of roles ask for a key.", "required", {
    required: "they do",
    "not-required": "they do not; a key that is sent is looked at all the same",
  }),
  // How long something new is not yet there.
  searchLagMs: count(
    "For how many milliseconds a created user, or a new key of theirs, is not yet found by a search.",
    0,
  ),
  listLagMs: count("For how many milliseconds a created user, or a new key of theirs, is not yet in the list.", 0),
  detailLagMs: count(
    "For how many milliseconds a created user is not yet among the users of the account's details.",
    0,
  ),
  shownKeyLagMs: count(
    "For how many milliseconds a list and a search do not show a new key, or the new roles of a key.",
    0,
  ),
  keyLagMs: count(
    "For how many milliseconds the roles of a new key cannot be replaced; `keyLagStatus` says how it is refused.",
    0,
  ),
  keyLagStatus: choice("With what a key that is not there yet (`keyLagMs`) is refused.", "404", {
    "404": "404",
    "400": "400",
  }),
  teamLagMs: count("For how many milliseconds nobody can be added to a team that was just founded: 404.", 0),
  memberLagMs: count("For how many milliseconds a created user cannot be added to a team: 404.", 0),
};
