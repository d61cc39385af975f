import{a,b}from"./chunk-OFPKI6MU.js";import"./chunk-5KQ6XFM2.js";export{a as save,b as saveFrom};
