function a(){return new BroadcastChannel("subrosa-vault")}function s(e){e.postMessage({vault:"lock"})}export{a,s as b};
