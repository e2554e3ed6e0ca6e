import { choice } from "./knob.ts";

export const search = choice("How a search answers whom it found.", "S1", {
  S1: "a bare array of users",
  S2: "in the envelope of lists",
  S3: "a map from each text that was asked to its user, or to null",
  S4: "an array with an entry for each text that was asked, in its order: the user, or null",
  S5: "a bare array, and 404 where nobody was found",
  S6: "found[users], notFound[texts]",
  S7: "the user alone where one was found, else a bare array",
});
