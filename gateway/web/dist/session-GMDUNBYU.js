import{c as a,d as b}from"./chunk-T6WODXWB.js";import"./chunk-RKPXGEMS.js";import"./chunk-R3Z27WII.js";import"./chunk-TAB4D23J.js";import"./chunk-OQ4UEFJX.js";export{a as Vault,b as vault};
