import { choice } from "./knob.ts";

export const create = choice("How the creation of a user answers; `createStatus` says with which status.", "C1", {
  C1: "the user with accessKeys[the new key], and the team if one was founded",
  C2: "the new key with user{} and account{}",
  C3: "as C1 with listAccessKeys for accessKeys",
  C4: "user{identifier, email}, accessKey{prefix}",
  C5: "identifier, email, accessKeyPrefix",
  C6: "user{}, apiKey with the whole key, its secret included",
  C7: "data{user{}, accessKeys[the new key]}",
  C8: "no body; Location leads to the user",
  C9: "202 whatever `createStatus` says: status PENDING, with Location and Retry-After",
  C10: "as C1 with a second key: whoever founds a team gets a key of their own too, anybody else a project's",
  "C10-ambiguous": "as C10, and nothing tells the two keys apart",
  C11: "as C1; where the user is there already, 200 with that user, whatever `conflict` says",
  C12: "the prefix as plain text",
});
