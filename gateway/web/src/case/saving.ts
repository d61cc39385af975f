// Saving something as a file on the person's machine.
import { send } from "../api.js";

/** Saves what is in this page as a file. It goes nowhere else. */
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Reads something of the service in the form of a media type and saves it. Throws a Refusal. */
export async function saveFrom(path: string, mediaType: string, name: string): Promise<void> {
  const response = await send("GET", path, null, { Accept: mediaType });
  save(await response.blob(), name);
}
