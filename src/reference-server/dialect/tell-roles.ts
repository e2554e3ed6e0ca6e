import type { RequestContext } from "../call.ts";
import { type Collection, listResponse } from "../collection.ts";
import type { Role } from "../entities.ts";
import type { Reply } from "../reply.ts";

/** A page of the list of roles. */
export function rolesResponse(call: RequestContext, roles: Collection<Role>): Reply {
  switch (call.knobs.roleList) {
    case "R1":
      return listResponse(call, roles);
    case "R2":
      return listResponse(call, { ...roles, show: (role) => role.identifier });
    case "R3": {
      const knobs = { ...call.knobs, envelope: "named", laterEnvelope: "same" } as const;
      return listResponse({ ...call, knobs }, roles);
    }
  }
}
