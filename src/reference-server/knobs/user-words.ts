import type { Knobs } from "../knobs.ts";

interface Words {
  readonly identifier: unknown;
  readonly email: string;
  readonly status: string;
}

export function userFields(how: Knobs["userWords"], { identifier, email, status }: Words): object {
  switch (how) {
    case "plain":
      return { identifier, email, status };
    case "short":
      return { id: identifier, emailAddress: email, state: status };
    case "long":
      return { userIdentifier: identifier, username: email, active: status.toLowerCase() === "active" };
  }
}
