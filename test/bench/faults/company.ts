import { readFileSync } from "node:fs";
import type { Seed } from "../../../src/reference-server/seed.ts";

/** What every tool is asked for, each in its own files. */
export interface Wanted {
  readonly users: readonly { readonly email: string; readonly firstName: string; readonly lastName: string }[];
  readonly teams: readonly {
    readonly name: string;
    readonly roles: readonly string[];
    readonly members: readonly string[];
  }[];
}

export const wanted = JSON.parse(readFileSync(new URL("peers/script/wanted.json", import.meta.url), "utf8")) as Wanted;

/** An administrator has two keys: the second is for the time after the first was revoked. */
export const keys = ["administrator1.secretOfTheFirstKey", "administrator2.secretOfTheSecondKey"] as const;

const strangers = ["gia", "hal", "ida", "jan", "kim", "leo", "mia", "ned", "oda", "pia", "quin", "rex"];
const [support] = wanted.teams;
const newcomers = new Set(["ada", "bo", "cy", "dee"].map((name) => `${name}@acme.example`));
const there = wanted.users.filter(({ email }) => !newcomers.has(email));

/** Before the first run: eleven of the fifteen people and one of the two teams are there; Finn is not in it yet. Twelve others are there too. */
export const seed: Seed = {
  users: [
    { email: "root@acme.example", firstName: "Root", lastName: "Holt" },
    ...strangers.map((name) => ({ email: `${name}@acme.example`, firstName: name, lastName: "Elsewhere" })),
    ...there,
  ],
  teams: [
    {
      identifier: "t-support",
      name: "Support",
      admin: "eve@acme.example",
      members: there
        .filter(({ email }) => email !== "finn@acme.example")
        .map(({ email }) => ({ user: email, roles: support?.roles ?? [] })),
    },
  ],
  keys: keys.map((key) => {
    const [prefix = "", secret = ""] = key.split(".");
    return { prefix, secret, owner: "root@acme.example", kind: "user", roles: ["SYSTEM_OWNER"] };
  }),
};
