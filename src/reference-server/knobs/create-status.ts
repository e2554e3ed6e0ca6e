import { choice } from "./knob.ts";

export const createStatus = choice("With which status a creation answers when it is done.", "201", {
  "200": "200",
  "201": "201",
  "202": "202, although the user is there at once",
});
