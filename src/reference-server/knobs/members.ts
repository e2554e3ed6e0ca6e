import { choice } from "./knob.ts";

export const members = choice(
  "How the addition of members answers, and what becomes of a batch with a bad entry.",
  "M1",
  {
    M1: "200, an array of members with their new keys; one bad entry refuses the batch, with 404 or 409",
    M2: "200, the team with identifier, name, members[identifier, email]; a batch as in M1",
    M3: "204 without a body; a batch as in M1",
    "M3-201": "201 without a body; a batch as in M1",
    M4: "207, successes[members], failures[identifier, status, detail]",
    "M4-list": "207, an array with identifier, status and message of each entry",
    M5: "200, members[], and errors[] for the bad entries",
    "M5-201": "201, status success, or status error with message{identifier: problems}; the others are added",
    M6: "as M1, and a batch with a bad entry is refused with 400",
    M7: "202 whatever `membersStatus` says: status QUEUED; a batch as in M1",
  },
);
