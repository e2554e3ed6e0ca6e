import type { RequestContext } from "../call.ts";
import type { Key } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { type Answer, answer, answerNothing, withStatus } from "../reply.ts";
import { renderKey } from "./show-user.ts";

/** What the replacement of a key's roles answers. */
export function replaceRolesResponse({ knobs }: RequestContext, key: Key): Answer {
  const shaped = keyRolesAnswer(knobs, key);
  const keepsStatus = knobs.putRolesStatus === "own" || knobs.putRolesAnswer === "accepted";
  return keepsStatus ? shaped : withStatus(shaped, Number(knobs.putRolesStatus));
}

function keyRolesAnswer(knobs: Knobs, key: Key): Answer {
  switch (knobs.putRolesAnswer) {
    case "roles":
      return answer(
        200,
        key.roles.map((identifier) => ({ identifier })),
      );
    case "key":
      return answer(200, renderKey(knobs, key, "listed"));
    case "empty":
      return answerNothing(204);
    case "accepted":
      return answer(202, { status: "ACCEPTED" });
  }
}
