import type { Call } from "../call.ts";
import { answerPage, type Collection } from "../collection.ts";
import type { Role } from "../entities.ts";
import type { Reply } from "../reply.ts";

/** A page of the list of roles. */
export function tellRoles(call: Call, roles: Collection<Role>): Reply {
  switch (call.knobs.roleList) {
    case "R1":
      return answerPage(call, roles);
    case "R2":
      return answerPage(call, { ...roles, show: (role) => role.identifier });
    case "R3": {
      const knobs = { ...call.knobs, envelope: "named", laterEnvelope: "same" } as const;
      return answerPage({ ...call, knobs }, roles);
    }
  }
}
