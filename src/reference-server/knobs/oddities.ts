import { choice, type ValueOf } from "./knob.ts";

export const oddities = choice("What else is odd about users that are shown.", "none", {
  none: "nothing",
  "extra-fields": "they have fields that nobody knows, one of them called __proto__",
  nulls: "their status, source and title are null",
  "missing-keys": "who has no keys shows no list of keys",
});

/** Changes how a user is shown, never who is meant. */
export function odd(how: ValueOf<typeof oddities>, user: Readonly<Record<string, unknown>>): object {
  switch (how) {
    case "none":
      return user;
    case "extra-fields":
      return { ...user, ...strangeFields, visited: true, pictureURL: null, submittedJobs: 7 };
    case "nulls":
      return { ...user, status: null, title: null, source: null };
    case "missing-keys":
      return Object.fromEntries(Object.entries(user).filter(([, value]) => !Array.isArray(value) || value.length > 0));
  }
}

const strangeFields: object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 7}');
