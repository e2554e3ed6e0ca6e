import { expect } from "vitest";
import type { Seen, Service } from "./effect.ts";

/** What several tables of effects ask, and how they say what came. */
export const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

export const shown = ({ status, body }: Seen): unknown => [status, body];

export const search =
  (...identifiers: readonly string[]) =>
  async ({ post }: Service) =>
    shown(await post("/users/search", { identifiers }));

export const create =
  (more: object = {}) =>
  async ({ post }: Service) =>
    shown(await post("/accounts/acc-1/users", { ...ada, ...more }));

export const account = { identifier: "acc-1", name: "Acme", status: "Active" };

export const reference = (name: string, identifier: string) => ({
  identifier,
  email: name === "root" ? "root@reference.example" : `${name}@acme.example`,
  status: "Active",
});

export const user = (name: string) => expect.objectContaining({ email: `${name}@acme.example` });

export const refused = (message: string) => expect.objectContaining({ message });
