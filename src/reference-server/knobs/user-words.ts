import type { Knobs } from "../knobs.ts";

interface UserIdentity {
  readonly identifier: unknown;
  readonly email: string;
  readonly status: string;
}

export function identityFields(how: Knobs["userWords"], { identifier, email, status }: UserIdentity): object {
  switch (how) {
    case "plain":
      return { identifier, email, status };
    case "short":
      return { id: identifier, emailAddress: email, state: status };
    case "long":
      return { userIdentifier: identifier, username: email, active: status.toLowerCase() === "active" };
  }
}
