import type { Knobs } from "./registry.ts";

export interface Preset {
  readonly about: string;
  readonly knobs: Partial<Knobs>;
}

export const presets = {
  public: {
    about: "Users, keys, roles, paging and errors as the public pages and SDKs of such a service show them.",
    knobs: {
      link: "always",
      total: "none",
      sortUnknown: "500",
      showKeys: "listAccessKeys",
      showKeyKinds: "user-or-system",
      showTeams: "none",
      fields: "public",
      times: "mixed",
      create: "C3",
      members: "M6",
      maxTitle: 50,
      conflict: "400",
      externalId: "email",
      roleKinds: "strict",
      authOnAccounts: "not-required",
    },
  },
} satisfies Readonly<Record<string, Preset>>;
