// Sending a file with its progress, which fetch does not tell.
import { Refusal, refused } from "../api.js";

/**
 * Sends files to the service as one form.
 * @param progress gets the part that is sent, 0 to 1
 * @throws Refusal
 */
export function sendForm<T>(
  path: string,
  form: FormData,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const end = (): void => request.abort();
    signal.addEventListener("abort", end, { once: true });
    request.open("POST", path);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () =>
      reject(
        new Refusal(0, "unreachable", "The connection broke while the file was sent. Nothing was kept; send it again."),
      );
    request.onabort = () => reject(new DOMException("left", "AbortError"));
    request.onload = () => {
      const status = request.status;
      if (status === 200 || status === 201) resolve(JSON.parse(request.responseText) as T);
      else
        refused(
          new Response(status === 204 || status === 304 ? null : request.responseText, { status: status || 500 }),
        ).then(reject, reject);
    };
    request.onloadend = () => signal.removeEventListener("abort", end);
    request.send(form);
  });
}
