import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";

/** What befalls the first run of a tool, or every run where it is how the service answers. */
export interface Fault {
  readonly name: string;
  readonly about: string;
  readonly knobs: Partial<Knobs>;
  /** `kill`: the first run is killed after its second creation. `twice`: two first runs start at once. `rotate`: later runs have the other key. */
  readonly also?: "kill" | "twice" | "rotate";
}

export const faults: readonly Fault[] = [
  { name: "no fault", about: "Nothing goes wrong.", knobs: {} },
  {
    name: "lost answer",
    about: "The second creation takes effect. The connection closes without an answer.",
    knobs: { dropResponse: ["create@2"] },
  },
  {
    name: "killed",
    about: "The tool is killed (`kill -9`) before the answer to its second creation.",
    knobs: { hang: ["create@2"] },
    also: "kill",
  },
  {
    name: "429 after the effect",
    about: "The second creation takes effect. The answer is 429 with `Retry-After: 1`.",
    knobs: { throttleAfterEffect: ["create@2"] },
  },
  {
    name: "502 after the effect",
    about: "The first addition of members takes effect. The answer is 502 with a page of HTML.",
    knobs: { dropResponse: ["members@1"], dropResponseAs: "502" },
  },
  {
    name: "reads lag",
    about: "Reads show a change 5 seconds late. The second creation takes effect, and is answered with 504.",
    knobs: {
      searchLagMs: 5000,
      listLagMs: 5000,
      detailLagMs: 5000,
      shownKeyLagMs: 5000,
      dropResponse: ["create@2"],
      dropResponseAs: "504",
    },
  },
  {
    name: "crossed answer",
    about: "The second creation and addition take effect. Each gets the answer of the one before it.",
    knobs: { crossedAnswer: ["create@2", "members@2"] },
  },
  {
    name: "short search",
    about: "A search returns its first ten hits, and nothing says that there are more.",
    knobs: { searchPages: "first-ten" },
  },
  {
    name: "list without order",
    about: "A page has ten rows. Without `sort-by`, each request has another order: rows repeat, others are missed.",
    knobs: { maxPerPage: 10, order: "shuffle-ties" },
  },
  {
    name: "list that always shifts",
    about: "The same, and `sort-by` is ignored. No read shows every row once.",
    knobs: { maxPerPage: 10, order: "shuffle" },
  },
  {
    name: "HTML with 200",
    about: "The second creation is answered by a login page with status 200, and has no effect.",
    knobs: { html200: ["create@2"] },
  },
  {
    name: "no answer in time",
    about: "The second creation takes effect, and the answer never comes.",
    knobs: { hang: ["create@2"] },
  },
  {
    name: "key revoked",
    about: "The API key is revoked before the third creation. Later runs have a new key.",
    knobs: { revokeKey: ["create@3"] },
    also: "rotate",
  },
  {
    name: "two runs at once",
    about: "The same job starts twice in the same directory.",
    knobs: {},
    also: "twice",
  },
];

/** How two services of this interface treat what they have done already. */
export const services: readonly { readonly name: string; readonly about: string; readonly knobs: Partial<Knobs> }[] = [
  {
    name: "A strict service",
    about: "It refuses a second user with the same address and a second addition of a member, both with 409.",
    knobs: {},
  },
  {
    name: "A lenient service",
    about: "It creates a second user with the same address, and sends a member who is added again a second mail.",
    knobs: { conflict: "second-user", readd: "reinvite" },
  },
];
