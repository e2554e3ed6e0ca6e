import { choice, type ValueOf } from "./knob.ts";

export const userWords = choice("Under which names a user shows identifier, email and status.", "plain", {
  plain: "identifier, email, status",
  short: "id, emailAddress, state",
  long: "userIdentifier, username, active (true or false)",
});

interface Words {
  readonly identifier: unknown;
  readonly email: string;
  readonly status: string;
}

export function userFields(how: ValueOf<typeof userWords>, { identifier, email, status }: Words): object {
  switch (how) {
    case "plain":
      return { identifier, email, status };
    case "short":
      return { id: identifier, emailAddress: email, state: status };
    case "long":
      return { userIdentifier: identifier, username: email, active: status.toLowerCase() === "active" };
  }
}
