import { choice } from "./knob.ts";

export const conflict = choice("What the creation of a user answers whose address is taken.", "409", {
  "409": "409",
  "400": "400",
  "422": "422",
  "500": "500, as when a unique constraint is violated",
  "200": "200 with the user who is there",
  "409-though-created": "409, and a free address too is answered with 409, although the user is created",
});
