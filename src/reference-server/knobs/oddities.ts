import type { Knobs } from "../knobs.ts";

/** Changes how a user is shown, never who is meant. */
export function withOddities(how: Knobs["oddities"], user: Readonly<Record<string, unknown>>): object {
  switch (how) {
    case "none":
      return user;
    case "extra-fields":
      return { ...user, ...unknownFields, visited: true, pictureURL: null, submittedJobs: 7 };
    case "nulls":
      return { ...user, status: null, title: null, source: null };
    case "missing-keys":
      return Object.fromEntries(Object.entries(user).filter(([, value]) => !Array.isArray(value) || value.length > 0));
  }
}

const unknownFields: object = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 7}');
