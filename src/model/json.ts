import { hash } from "node:crypto";

export type JsonObject = Readonly<Record<string, unknown>>;

export function sha256(text: string): string {
  return hash("sha256", text);
}
