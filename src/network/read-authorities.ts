import { X509Certificate } from "node:crypto";
import { problem, type Result, success } from "../model/result.ts";

/** The certificates (PEM) that a file of authorities holds; a file without any, or with one that is broken, is refused. */
export function readAuthorities(text: string): Result<readonly string[], string> {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu) ?? [];
  if (text.trim() === "") return problem("are none: the file is empty");
  if (certificates.length === 0) return problem("are none: the file holds no certificate");
  const broken = certificates.findIndex((certificate) => !isReadable(certificate));
  if (broken >= 0) return problem(`are not all readable: number ${broken + 1} is broken`);
  return success(certificates);
}

function isReadable(certificate: string): boolean {
  try {
    new X509Certificate(certificate);
    return true;
  } catch {
    return false;
  }
}
