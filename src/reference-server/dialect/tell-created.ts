import type { RequestContext } from "../call.ts";
import type { Key, Team, User } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { type Answer, answer, answerNothing, answerText, withStatus } from "../reply.ts";
import {
  foundedTeamField,
  renderAccount,
  renderKey,
  renderProfile,
  renderUser,
  renderUserReference,
} from "./show-user.ts";

/** What the creation of a user made. */
export interface CreatedUser {
  readonly user: User;
  /** The one whose prefix is needed: the team's where one was founded. */
  readonly key: Key;
  /** Every new key, in the order of their making. */
  readonly keys: readonly Key[];
  readonly team: Team | undefined;
}

export function createUserResponse(call: RequestContext, created: CreatedUser): Answer {
  const shaped = creationAnswer(call, created);
  return call.knobs.create === "C9" ? shaped : withStatus(shaped, Number(call.knobs.createStatus));
}

function creationAnswer(call: RequestContext, created: CreatedUser): Answer {
  const { knobs } = call;
  const { user, key, team } = created;
  switch (knobs.create) {
    case "C1":
    case "C10":
    case "C11":
      return answer(201, renderCreatedUser({ ...knobs, showKeys: "accessKeys" }, created));
    case "C2":
      return answer(201, {
        ...renderKey(knobs, key, "made"),
        user: renderUserReference(knobs, user),
        account: renderAccount(knobs, user.account),
      });
    case "C3":
      return answer(201, renderCreatedUser({ ...knobs, showKeys: "listAccessKeys" }, created));
    case "C4":
      return answer(201, { user: renderUserReference(knobs, user), accessKey: { prefix: key.prefix } });
    case "C5":
      return answer(201, { ...renderUserReference(knobs, user), accessKeyPrefix: key.prefix });
    case "C6":
      return answer(201, { user: renderProfile(knobs, user), apiKey: `${key.prefix}.${key.secret}` });
    case "C7":
      return answer(201, {
        data: {
          user: renderProfile(knobs, user),
          accessKeys: [renderKey(knobs, key, "made")],
          ...foundedTeamField(knobs, team),
        },
      });
    case "C8":
      return answerNothing(201, { location: userLocation(call, user) });
    case "C9":
      return answer(
        202,
        { status: "PENDING" },
        { location: userLocation(call, user), "retry-after": String(knobs.retryAfterSeconds) },
      );
    case "C10-ambiguous":
      return answer(
        201,
        renderCreatedUser({ ...knobs, showKeys: "accessKeys", showKeyKinds: "none", showTeams: "none" }, created),
      );
    case "C12":
      return answerText(201, "text/plain; charset=utf-8", key.prefix);
  }
}

/** The user who was there already, where a creation answers so. */
export function existingUserResponse({ knobs }: RequestContext, user: User): Answer {
  return answer(200, renderUser({ ...knobs, showKeys: "accessKeys" }, user, { keys: user.keys, on: "listed" }));
}

function renderCreatedUser(knobs: Knobs, { user, keys, team }: CreatedUser): object {
  return { ...renderUser(knobs, user, { keys, on: "made" }), ...foundedTeamField(knobs, team) };
}

function userLocation({ path }: RequestContext, { identifier }: User): string {
  return `${path}/${encodeURIComponent(identifier)}`;
}
