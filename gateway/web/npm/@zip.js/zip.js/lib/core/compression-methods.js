/*
 Copyright (c) 2025 Gildas Lormeau. All rights reserved.

 Redistribution and use in source and binary forms, with or without
 modification, are permitted provided that the following conditions are met:

 1. Redistributions of source code must retain the above copyright notice,
 this list of conditions and the following disclaimer.

 2. Redistributions in binary form must reproduce the above copyright
 notice, this list of conditions and the following disclaimer in
 the documentation and/or other materials provided with the distribution.

 3. The names of the authors may not be used to endorse or promote products
 derived from this software without specific prior written permission.

 THIS SOFTWARE IS PROVIDED ''AS IS'' AND ANY EXPRESSED OR IMPLIED WARRANTIES,
 INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
 FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL JCRAFT,
 INC. OR ANY CONTRIBUTORS TO THIS SOFTWARE BE LIABLE FOR ANY DIRECT, INDIRECT,
 INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
 LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA,
 OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF
 LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
 NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE,
 EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */

import {
	COMPRESSION_METHOD_STORE,
	COMPRESSION_METHOD_DEFLATE,
	COMPRESSION_METHOD_DEFLATE_64,
	UNDEFINED_VALUE,
	FUNCTION_TYPE
} from "./constants.js";
import { getConfiguration } from "./configuration.js";
import { getRegisteredCodecs, getCodecStreams } from "./codec-registry.js";
import {
	supportsFormat,
	FORMAT_DEFLATE_RAW,
	FORMAT_DEFLATE64_RAW,
	FORMAT_GZIP
} from "./streams/zip-entry-stream.js";

export {
	getSupportedCompressionMethods
};

function getSupportedCompressionMethods() {
	const { CompressionStream, DecompressionStream, CompressionStreamFallback, DecompressionStreamFallback } = getConfiguration();
	const supportedMethods = [{
		compressionMethod: COMPRESSION_METHOD_STORE,
		compression: true,
		decompression: true,
		registered: false
	}, {
		compressionMethod: COMPRESSION_METHOD_DEFLATE,
		compression: formatSupported(CompressionStreamFallback, FORMAT_DEFLATE_RAW) ||
			formatSupported(CompressionStream, FORMAT_DEFLATE_RAW) || formatSupported(CompressionStream, FORMAT_GZIP),
		decompression: formatSupported(DecompressionStreamFallback, FORMAT_DEFLATE_RAW) ||
			formatSupported(DecompressionStream, FORMAT_DEFLATE_RAW) || formatSupported(DecompressionStream, FORMAT_GZIP),
		registered: false
	}, {
		compressionMethod: COMPRESSION_METHOD_DEFLATE_64,
		compression: false,
		decompression: formatSupported(DecompressionStreamFallback, FORMAT_DEFLATE64_RAW) ||
			formatSupported(DecompressionStream, FORMAT_DEFLATE64_RAW),
		registered: false
	}];
	for (const codec of getRegisteredCodecs()) {
		const codecStreams = getCodecStreams(codec.format);
		supportedMethods.push({
			compressionMethod: codec.compressionMethod,
			// deno-lint-ignore valid-typeof
			compression: codecStreams ? typeof codecStreams.CompressionStream == FUNCTION_TYPE : UNDEFINED_VALUE,
			// deno-lint-ignore valid-typeof
			decompression: codecStreams ? typeof codecStreams.DecompressionStream == FUNCTION_TYPE : UNDEFINED_VALUE,
			registered: true
		});
	}
	return supportedMethods;
}

function formatSupported(StreamClass, format) {
	if (!StreamClass) {
		return false;
	}
	const { supportedFormats } = StreamClass;
	if (supportedFormats) {
		return supportedFormats.includes(format);
	}
	return supportsFormat(StreamClass, format);
}
