import { jsonSchemas } from "../model/declare.ts";
import * as event from "../model/event.ts";
import * as recorded from "../model/recorded.ts";

/** The JSON Schemas that the build writes to `schemas/`, by their names. */
export const declaredSchemas = jsonSchemas({
  "journal-line.schema.json": {
    title: "roster: what a line of the journal holds",
    description:
      'A line of the journal is `{"sum":S,"entry":E}`. S is the CRC-32 of the UTF-8 text of E, as eight hexadecimal digits. The first entry names the version of the state before the journal. Every other entry is an event of a run.',
    root: event.journalEntry,
    declarations: event,
  },
  "state.schema.json": {
    title: "roster: the state",
    description:
      "What roster remembers of its own calls. It is a journal and a cache. Data that must not be lost belongs in the roster files.",
    root: recorded.state,
    declarations: recorded,
  },
});
