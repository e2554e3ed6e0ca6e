import type { Call } from "../call.ts";
import type { Key, Team, User } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { type Answer, answer, answerNothing, answerText, withStatus } from "../reply.ts";
import { foundedTeamField, tellAccount, tellKey, tellPerson, tellReference, tellUser } from "./show-user.ts";

/** What the creation of a user made. */
export interface Created {
  readonly user: User;
  /** The one whose prefix is needed: the team's where one was founded. */
  readonly key: Key;
  /** Every new key, in the order of their making. */
  readonly keys: readonly Key[];
  readonly team: Team | undefined;
}

export function tellCreated(call: Call, created: Created): Answer {
  const shaped = shapedAnswer(call, created);
  return call.knobs.create === "C9" ? shaped : withStatus(shaped, Number(call.knobs.createStatus));
}

function shapedAnswer(call: Call, created: Created): Answer {
  const { knobs } = call;
  const { user, key, team } = created;
  switch (knobs.create) {
    case "C1":
    case "C10":
    case "C11":
      return answer(201, withKeys({ ...knobs, showKeys: "accessKeys" }, created));
    case "C2":
      return answer(201, {
        ...tellKey(knobs, key, "made"),
        user: tellReference(knobs, user),
        account: tellAccount(knobs, user.account),
      });
    case "C3":
      return answer(201, withKeys({ ...knobs, showKeys: "listAccessKeys" }, created));
    case "C4":
      return answer(201, { user: tellReference(knobs, user), accessKey: { prefix: key.prefix } });
    case "C5":
      return answer(201, { ...tellReference(knobs, user), accessKeyPrefix: key.prefix });
    case "C6":
      return answer(201, { user: tellPerson(knobs, user), apiKey: `${key.prefix}.${key.secret}` });
    case "C7":
      return answer(201, {
        data: {
          user: tellPerson(knobs, user),
          accessKeys: [tellKey(knobs, key, "made")],
          ...foundedTeamField(knobs, team),
        },
      });
    case "C8":
      return answerNothing(201, { location: addressOf(call, user) });
    case "C9":
      return answer(
        202,
        { status: "PENDING" },
        { location: addressOf(call, user), "retry-after": String(knobs.retryAfterSeconds) },
      );
    case "C10-ambiguous":
      return answer(
        201,
        withKeys({ ...knobs, showKeys: "accessKeys", showKeyKinds: "none", showTeams: "none" }, created),
      );
    case "C12":
      return answerText(201, "text/plain; charset=utf-8", key.prefix);
  }
}

/** The user who was there already, where a creation answers so. */
export function tellThere({ knobs }: Call, user: User): Answer {
  return answer(200, tellUser({ ...knobs, showKeys: "accessKeys" }, user, { keys: user.keys, on: "listed" }));
}

function withKeys(knobs: Knobs, { user, keys, team }: Created): object {
  return { ...tellUser(knobs, user, { keys, on: "made" }), ...foundedTeamField(knobs, team) };
}

function addressOf({ path }: Call, { identifier }: User): string {
  return `${path}/${encodeURIComponent(identifier)}`;
}
