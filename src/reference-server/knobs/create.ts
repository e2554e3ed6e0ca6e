import { choice } from "./knob.ts";

export const create = choice("How the creation of a user answers.", "C1", {
  C1: "201, the user with accessKeys[the new key], and the team if one was founded",
  C2: "201, the new key with user{} and account{}",
  C3: "201, as C1 with listAccessKeys for accessKeys",
  C4: "201, user{identifier, email}, accessKey{prefix}",
  C5: "201, identifier, email, accessKeyPrefix",
  C6: "201, user{}, apiKey with the whole key, its secret included",
  C7: "201, data{user{}, accessKeys[the new key]}",
  C8: "201 without a body; Location leads to the user",
  C9: "202, status PENDING, with Location and Retry-After",
  C10: "201, as C1 with a second key: whoever founds a team gets a key of their own too, anybody else a project's",
  "C10-ambiguous": "as C10, and nothing tells the two keys apart",
  C11: "as C1; where the user is there already, 200 with that user, whatever `conflict` says",
  C12: "201, the prefix as plain text",
});
