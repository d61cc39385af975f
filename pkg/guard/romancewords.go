package guard

// romanceNouns are words of courts, contracts, families, work and letters in French and Spanish, in the singular and the
// masculine, where they are no names, or hardly ever.
var romanceNouns = setOf(`abandon accord soussigné achat acheteur acquéreur acte actif action actionnaire adhérent administrateur
	affaire agence agent agrément aide aliment alinéa amende an ancien annexe année annulation appel appelant
	apport arbitre arrêt arrêté article assemblée assignation associé assurance assurancé assuré assureur attaqué
	audience auteur autorité avance avenant avis avocat avoué bail bailleur banque bénéficiaire bénéfice bien
	bilan billet bon bordereau brevet bureau but cabinet cadre caisse capital cas cassation caution cautionnement
	cédant cessation cession cessionnaire chambre chapitre charge chef chère cher chiffre circonstance citation
	civil clause client code collège comité commandement commande commerce commercial commettant commissaire
	commission commun communauté commune compagnie comparant compétence compte comptable concédant concession
	conciliation conclu conclusion condamné condition confidentialité confrère consœur congé conjoint conseil
	conseiller consommateur constat constitution contentieux contestation contractant contrat contrôle convenu
	convention conventionnel convoqué copie copropriétaire copropriété corporel cour courrier courriel créance
	créancier crédit culpabilité date débat débiteur décès décision déclaration décret défaillant défaut défense
	défendeur défenseur délai délégué délibéré délit demande demandeur demeurant démission dénonciation
	département dépens dépense député dernier détention dette directeur direction directive directrice dirigeant
	disposition dispositif dissolution distributeur divers divorce document domicile dommage don donateur
	donataire donation dossier douane droit durée échéance écrit effet élection élément emploi employé employeur
	emprunt emprunteur encours enfant engagement enquête enregistrement entrée entreprise entretien épouse époux
	établissement état étranger étude euro évaluation événement exception exclusivité exclusion exécution exercice
	expert expertise exploitation exploitant exposé extrait facture fait faute filiale fin fiscal fisc fixation
	fonction fonctionnaire fond fonds force forfait formalité forme formation fournisseur fourniture frais
	franchise franchisé franchiseur fraude gage garantie garant gardien général gérant gérance gestion
	gouvernement greffe greffier grief groupe harcèlement haute héritier heure honoraire huissier hypothèque
	immeuble impôt incapacité incident indemnité indemnisation indirect information infraction inspection instance
	instruction intérêt intéressé intermédiaire interprétation intimé intervenant inventaire jour journée
	judiciaire juge jugement juridiction juridique jurisprudence justice justiciable légal légataire lettre
	libération licence licencié licenciement lieu liquidateur liquidation litige livraison livre local locataire
	location locaux locatif logement loi loyer madame magistrat mainlevée maire mairie maison maître maîtresse
	majeur mandant mandat mandataire manquement marchandise marché mari mariage marque matériel maternité matière
	médiateur médiation médecin mémoire mesure mère mineur ministère ministre mise mission mobilier modification
	mois montant motif moyen municipal mutuelle national nantissement nature note notaire notification nullité
	objet obligation occupation offre office officier opération opposition ordonnance ordre organisme original
	paiement parent parquet part partage partenaire partie passif patient patrimoine pays pénal pénalité pension
	père période permis personne personnel perte pièce plainte plaignant plan police possession poste pourvoi
	pouvoir préambule préfecture préfet préavis préemption préjudice préliminaire premier preneur prescription
	présent présenté président prestataire prestation prêt prêteur prétention preuve prévenu prévoyance prime
	principal prise prix procédure procès procureur procès-verbal produit professionnel programme projet promesse
	promettant promoteur propriétaire propriété protection protocole provision proximité public publication
	qualité question quittance rapport réception recette recherche réclamation recommandation recours recouvrement
	rédacteur redevance redressement référé référence régime région registre règle règlement rejet relation relaxe
	remise rémunération renonciation renouvellement rente réparation répertoire réponse reprise représentant
	république requérant requête réserve résidence résiliation résolution responsable ressource restitution retard
	retrait réunion revenu rupture saisie salaire salarié sanction santé savoir secrétaire secrétariat secret
	secteur section sécurité séparation service siège signature signataire signification sinistre situation social
	société soin solde solidarité sommation somme soutien sous-locataire sous-traitant sous-préfet stage statut
	statuts statuant stipulation stock succession sûreté surveillance suspension syndic syndicat tableau tarif
	taux taxe témoignage témoin témoins territoire testament testateur tiers titre titulaire tort total
	transaction transfert transport travail travaux travailleur trésor tribunal trimestre troisième trouble
	tutelle tuteur unique urgence urssaf usage usufruit utilisateur vacance valeur vendeur vente vérification
	véhicule versement version veuve vice vigueur ville violence violation virement voie vol voisin présente
	déférée déféré susvisé précité exposant exposent convient soussignée dénommé dénommée ci-après
	confraternellement cordialement sincèrement respectueusement atteste certifie déclare confirme infirme rejette
	condamne ordonne dit déboute constate prononce fixe autorise casse annule renvoie laisse statue reçoit
	condamnons janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi
	mercredi jeudi vendredi samedi dimanche paragraphe supérieur inférieur suprême européen français espagnol
	international régional départemental prud'hommes prud'homme mutuel conjugal parental foncier immobilier
	mobilière financier bancaire salarial disciplinaire comptables écologique technique abogado absolución abuso
	accidente acción accionista acepto aceptante acreedor acta acto actor actora actuación acuerdo acusación
	acusado acusador adelante adenda adjunto adjudicatario administración administrador admitido adquirente
	adquisición aduana afectado agencia agente agravio ajuste albacea alegación alegato alguacil alimento alquiler
	ambos amparo amortización anexo antecedente anticipo anual anulación año apartado apelación apelado apelante
	apoderado aportación aprobación aprobado arancel árbitro archivo arrendador arrendamiento arrendatario
	arrendataria arrendadora asamblea ascenso asegurado asegurador aseguradora asesor asesoría asistencia
	asociación asociado asunto ataque atentado atentamente audiencia aumento auto autor autoridad autos aval
	avalista aviso ayuda ayuntamiento baja balance banco base beneficiario beneficio bonificación boletín buque
	caducidad calidad cámara cambio canon cantidad capacidad capítulo carga cargo carpeta carta casa casación caso
	categoría causa cautelar cedente central certificación certificado cesión cesionario chatarra cheque cierre
	circular citación ciudad ciudadano cláusula cliente cobro código colegio colectivo comandancia comercial
	comercio comerciante comisaría comisario comisión comodato compañía compañero comparecencia compareciente
	compensación competencia compra comprador compraventa comprobante comunicación comunidad comunitario
	concedente concejal concepto concesión concesionario conciliación conclusión concurso condena condición
	conducta conductor confesión conflicto conformidad congreso consejero consejo consentimiento consejería
	constitución construcción constructor consulado cónsul consumidor contable contencioso contestación
	contraprestación contraria contratación contratista contrato contribución contribuyente control convenio
	convocatoria copia copropietario cordial corporación corte costa costas costo coste crédito criterio cuantía
	cuarto cuenta cuerpo culpa cumplimiento cuota curador custodia daño dato debate deber decano decisión
	declaración declarado declaramos decreto defecto defensa defensor definición definitivo delegación delegado
	delito demanda demandado demandante demás denuncia denunciante departamento deposito depósito depositario
	derecho derivado desahucio descripción descuento desempleo desestimación deslinde despacho despido
	destinatario detenido deuda deudor devolución día diario dictamen dígito diligencia dinero diputación diputado
	dirección directiva director discapacidad disolución disposición distribuidor distrito divorcio documentación
	documento dolo domicilio donación donante donatario duda dueño duración economía edad edicto edificio efectivo
	efecto ejecución ejecutado ejecutante ejecutivo ejercicio ejercito ejército electoral elevación embargo
	emisión empleado empleador emplazamiento empleo empresa empresario encargado encargo enjuiciamiento enmienda
	entidad entrada entrega escribano escrito escritura especial esposo establecimiento estado estatuto estimada
	estimado estimo estipulación exclusividad excepción exención expediente experto exponen expone expositivo
	exterior extinción extranjero extranjería factura fallamos fallo fallecido falta familia familiar fase fecha
	federación federal feria fiador fianza ficha fidei fideicomiso filiación financiero finca fines firma firmante
	fiscalía forma formación formulario fracción franquicia franquiciado franquiciador fuente fuero función
	funcionario fundación fundamento fusión garante garantía gasto general gerente gerencia gestión gestor
	gobierno gobernador gracia grado gravamen grupo guarda guardia haber hacienda hecho heredero herencia hijo
	hipoteca hipotecario histórico hogar hombre honorario hora hostelería huelga idioma impuesto imputado
	incapacidad incapaz inciso incidente incumplimiento indemnización indicio industria información informe
	infractor ingreso inicio inmediato inmueble inquilino inscripción inspección inspector instancia instrucción
	instructor instituto integridad interés interior interino internacional interpretación interrogatorio
	interventor intimidad inventario inversión inversor investigación investigado invitación jefatura jefe jornada
	joven jubilación judicial juez jueza juicio junta jurado juramento jurídico jurisdicción jurisprudencia
	justicia juventud juzgado laboral legado legal legatario legislación legislativo legitimación letrado ley
	libertad libre libro licencia licenciado licitación licitador límite línea liquidación liquidador locación
	locador locatario lugar madre magistrado mandante mandatario mandato manifestación manifiesta marca marco
	marido material materia matrimonio mayor mayoría mediación mediador médico medida medio menor mercado
	mercancía mercantil mes meses mesa ministerio ministro minuta mobiliario moción modelo modificación monto mora
	motivo mujer multa municipio mutua mutuo nación nacimiento nacional nacionalidad natural negligencia
	negociación negocio nivel nombramiento nombre norma normativa nota notaría notario notificación novación
	nulidad número objeto obligación obligacionista obra obrero observación ocultación oculto ocupante ocupación
	oferta oferente oficial oficina oficio operación opción oposición orden ordenanza ordinario organismo
	organización órgano otorgado otorgante padre pacto página pago país papeleta parcela parte participación
	partícipe particular partida partido pasivo patente patria patrimonio patrón patronal pena penal pendiente
	pensión pensionista perito peritaje período periodo perjudicado perjuicio permiso permuta persona personal
	personalidad petición planta plazo pleito pleno pliego pluralidad población poder poderdante policía política
	póliza ponencia ponente poseedor posesión potestad práctica precio premio prenda presente preámbulo
	presidencia presidente prescripción prestación prestador prestamista préstamo prestatario presupuesto
	pretensión previsión prima primero primer principio privado probado procedimiento procesado procesal proceso
	procurador procuraduría producto profesional progenitor programa prohibición promesa promotor propiedad
	propietario propuesta prórroga protección protocolo proveedor providencia provincia provincial provisión
	proyecto prueba público publicación puesto punto querella querellado querellante quejoso quinto ramo real
	rebeldía recargo recaudación recepción receptor recibo reclamación reclamado reclamante recomendación
	reconvención rectificación recurrente recurrido recurso reforma regidor régimen región regional registrador
	registro reglamento regulador reincidencia reintegro relación relator renta renuncia reo reparación reparto
	representación representante república requerimiento requirente requisito rescisión reserva residencia
	residente resolución respeto respuesta resto resultado retención retraso retribución reunión reunido revisión
	revocación riesgo robo rogatoria ruego ruido sala salario saldo saludo sanción saneamiento secretaría
	secretario secreto sección sector sede segundo seguridad seguro sentencia señor separación séptimo servicio
	servidumbre sexto siniestro síndico sindicato sistema situación soberanía sobreseimiento sociedad socio
	solicitante solicitud sostenible subarriendo subasta subdirector subrogación subsidio subsidiario subvención
	sucesión sucesor sucursal sueldo sujeto suministro suministrador suma superior supremo suplico suplido
	supuesto tabla tasa tasación tasador taller técnico tenedor tercero tercer terminación territorio tesorería
	testador testamento testigo testimonio tienda timbre titular título tomador trabajador trabajo traducción
	trámite tránsito transacción transferencia transmisión transporte traslado tratado tributaria tributario
	tributo turno tutela tutor unidad unión único universidad urgencia urgente uso usuario usufructo usufructuario
	vacación vacante vale valor valoración vecino vehículo vencimiento vendedor venta verbal vicio vicepresidente
	víctima vida vigente vigencia vigilancia villa violencia visita vista viuda vivienda vocal voluntad voto zona
	cuarta quinta sexta séptima octava novena décima primera segunda tercera octavo noveno décimo enero febrero
	marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves
	viernes sábado domingo bis fdo atte usted ustedes excmo ilmo ilma excma acuse cordialmente respetuosamente
	distinguido distinguida solicita solicito expongo declara manifiestan acuerdan acuerda convienen disposiciones
	adicional transitoria derogatoria bancario anticipado extrajudicial autonómico autónoma autónomo europeo
	español española francés mexicano inmobiliario interpuesto subsanación impugnación moral físico jurídica
	obrera urbano rústico mensual trimestral semestral diaria mesdames messieurs mesdemoiselles bonjour merci
	veuillez pourriez plaise primo secundo tertio exécuteur rapporteur boulangerie toiture infiltration jonction
	sursis débours solidaire assesseur barreau bâtonnier bourse cahier carte chantier chèque clientèle
	collaborateur colis congrès consultation contribuable convocation coût crime curateur déchéance décompte
	déficit dépôt dérogation désistement devis devoir dispense échange échéancier effraction égalité émission
	emphytéose enchère enlèvement épargne équipement escompte espace estimation étape étiquette exigence
	exonération expropriation expulsion façade fermeture fiche filiation foi foyer fusion gain grâce gré grève
	habitation hôpital imposition impôts imprévision indivision inexécution injonction inscription insertion
	interdiction invalidité irrecevabilité lésion levée lotissement maladie manuscrit marge métier minute minorité
	montage moratoire motivation négociation norme novation nuisance observation oeuvre œuvre option organe
	origine outil ouvrage ouverture parcelle parcours pénurie perception péremption perquisition pétition plafond
	pli pollution pouvoirs préfets préjudices préposé primes privilège procuration proposition quote-part rachat
	radiation ratification récidive recel reçu rédaction rééchelonnement refus remboursement rémunérations repos
	report repreneur rescision rétention rétractation retraite rétrocession sauvegarde sceau séjour semaine
	séquestre serment servitude sévices simulation sous-location sous-traitance souscripteur subrogation
	supplément surface surenchère terme terrain texte tiers-payant traitement traite transcription transmission
	trimestres tva union urbanisme vendeuse verdict vétusté vétérinaire vices virements visite vue zone señoría
	señores señora acera aceptación acogida adopción agua alcalde alcaldía alevosía almacén alta alternativa
	alzada amenaza andamio anotación anuncio apercibimiento apremio aprovechamiento arbitraje archivero arqueo
	arras arresto artículo ascensor asesinato asiento aspirante atenuante atestado autobús automóvil avería
	averiguación balanza barrio basura batería bolsa bono burofax caja calle camión campaña camino cárcel
	carretera cartera casero casilla catastro causante cédula celda censo centro certidumbre cese chofer cifra
	cirujano cita clínica coacción coacreedor cobertura cobranza cohecho colaborador colegiado colegiación
	comprobación conyuge cónyuge comodatario conformación congelación consignación consulta contador contenedor
	contingencia continuidad contrabando convivencia cooperativa coordinador coordinación corredor corrección
	correo cosa cotización cuadro cubierta cuestión cuestionario deducción degradación delincuente demolición
	demora derrama desacato desalojo descanso descargo descubierto desempeño desistimiento desperfecto detalle
	detención devengo dieta diferencia difamación diputaciones disciplina discrecional discriminación diseño
	dispensa divisa doctor documental dominio dotación edificación egreso elaboración elección elemento
	empadronamiento encuesta energía enfermedad enriquecimiento enseñanza ente envío equidad equipo error escala
	escalafón escisión escuela esencia espacio espera estafa estancia estimación estructura estudio evaluación
	evicción evidencia exclusión excusa exhorto exigencia existencia experiencia explotación exportación
	exposición expropiación extorsión extra extraordinario fábrica factor facultad falsedad farmacia favor feriado
	fiesta filial finiquito flete foja folio fondo formalización foro foto frontera frente ganancia gas género
	gobernación golpe grabación gratificación guía habilitación habitante herida heredad hipótesis honor hospital
	huérfano humano humedad igualdad ilícito importación importe impugnante inadmisión incautación incendio
	incremento indagatoria indebido índice indulto infancia infraestructura infracción inhibición injuria
	inmigración inquilinato insolvencia instalación intención intereses intermediario interdicto intervención
	invalidez irregularidad itinerario jardín joya juego jugador justificante justiprecio lanzamiento lavado
	lesión letra libramiento lista llamada llave lote maltrato mancomunidad mandamiento máquina maquinaria mensaje
	mejora memoria menoscabo método metro miembro militar minoría misión mitad montaje mudanza mueble muestra
	muerte muro necesidad neto notoriedad nómina objetivo objeción obrante omisión opinión origen paga palabra
	palacio pareja paro parque pasaporte paseo patronato paz peatón peligro penalización penitenciaría pérdida
	perfil permanencia pieza piso plaza plusvalía portal postor practica predio pregunta preparación presa
	presunción pretexto prisión proceder proclama productor programación progreso promoción prorrateo prostitución
	protesta prudencia puerta puerto quebranto quiebra quita razón readmisión recinto recluso reconocimiento
	recusación red redacción reducción reembolso refugiado refugio regalía registral reivindicación rehabilitación
	remate remesa remisión remuneración remuneratorio rendición rendimiento repercusión reposición reproducción
	requerido resguardo respaldo responsabilidad restitución resumen retirada retorno revisor rescate rúbrica
	ruptura sacrificio salida salud sancionador seguimiento semana semestre senado servidor silencio simulación
	sobre soborno solar soldado solidario solvencia soporte sorteo suelo suerte sufragio suplemento supervisor
	suspensión sustento tarjeta tarifa tarea techo teléfono tema tercería término terreno terraza tesorero tesoro
	texto tipo torre tráfico trato transitario tutoría urbanismo usura utilidad validez vado vecindad ventaja
	verdad verificación vestigio vigilante vinculación vivo votación vuelo vuelta horizontal económico
	administrativo sancionatorio horario contrario propio pública interno externo hiérarchie avertissement
	assistant tapage menace commissariat pacte récusation surendettement acompte désordre hiérarchique licenciante
	licenciatario lucro otrosí forense indirecto inundación pandemia evento subcontratista pagaré recibimiento
	alejamiento inhabilitación fuerza concejalía pronto parcial législateur compromis chalandise précontractuel
	constitutionnel sucesivo recíproco beso quedan baremo nexo causal tracto simple sindical pericial`)
